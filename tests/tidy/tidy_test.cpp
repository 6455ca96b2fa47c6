// The rules of the house that a compiler does not know (CONTRIBUTING.md), held as tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct source {
  std::string path; ///< from the root, with '/'
  std::vector<std::string> lines;
};

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

const std::vector<source>& sources() {
  static const auto all = [] {
    const fs::path root = WIRETRIP_SOURCE_DIR;
    std::vector<source> out;
    for (const auto* folder :
         {"wire", "rpc", "nfs", "smb2", "profiler", "bench", "cli", "examples", "tests"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const auto extension = entry.path().extension();
        if (extension != ".hpp" && extension != ".cpp") continue;
        out.push_back({fs::relative(entry.path(), root).generic_string(), lines_of(entry.path())});
      }
    }
    return out;
  }();
  return all;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const auto& start) { return text.starts_with(start); });
}

/// What an #include line names, quoted or angled; empty for other lines.
std::string included(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::smatch match;
  return std::regex_search(line, match, pattern) ? match[1].str() : std::string();
}

/// Calls f(source, line number from 1, line) for every line of the house's code.
template <class F>
void for_each_line(F&& f) {
  for (const auto& file : sources())
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      f(file, i + 1, file.lines[i]);
}

TEST(Tidy, FoldersIncludeOnlyWhatTheyMay) {
  const std::map<std::string, std::set<std::string>> may{
      {"wire", {"wire"}},
      {"rpc", {"wire", "rpc"}},
      {"nfs", {"wire", "rpc", "nfs"}},
      {"smb2", {"wire", "smb2"}},
      {"profiler", {"wire", "rpc", "nfs", "smb2", "profiler"}},
      {"bench", {"wire", "rpc", "nfs", "smb2", "profiler", "bench"}},
      {"cli", {"wire", "rpc", "nfs", "smb2", "profiler", "bench", "cli"}},
      {"examples", {"wire", "smb2"}}};
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    const auto allowed = may.find(file.path.substr(0, file.path.find('/')));
    const auto name = included(line);
    const auto folder = name.substr(0, name.find('/'));
    // Benchmarks measure with the messages that the tests are made of.
    if (std::regex_search(file.path, std::regex("^bench/(micro|analysis)/")) &&
        name.starts_with("tests/support/"))
      return;
    if (allowed == may.end() || (!may.contains(folder) && folder != "tests")) return;
    EXPECT_TRUE(allowed->second.contains(folder))
        << file.path << ':' << number << ": " << allowed->first << " may not include " << folder;
  });
}

TEST(Tidy, TheProfilerIncludesCodecsAndNeverAClientOrASocket) {
  const std::regex client(
      R"(wire/net/|client|connection\.hpp|/session\.hpp|/tree\.hpp|/auth/|crypto)");
  // What --keys gives keys of is opened with the same code that our client seals with; names are
  // hidden with its hashes.
  const std::regex unsealing(R"(^profiler/(flow/smb2_sealing|report/anonymise)\.)");
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    const auto name = included(line);
    if (!file.path.starts_with("profiler/") || name.starts_with("profiler/")) return;
    if (name.starts_with("smb2/crypto/") && std::regex_search(file.path, unsealing)) return;
    EXPECT_FALSE(std::regex_search(name, client)) << file.path << ':' << number << ": " << name;
  });
}

TEST(Tidy, LibrariesAppearOnlyWhereTheyBelong) {
  struct rule {
    std::regex header;
    std::regex where;
  };
  const std::vector<rule> rules{
      {std::regex(R"(^asio)"),
       std::regex(
           R"(^(wire/net/|(rpc|nfs|smb2)/.*(connection|connecting|client|session|tree|file|hold_table|)"
           R"(durable|channel)|bench/|cli/|examples/|tests/))")},
      {std::regex(R"(^openssl/)"), std::regex(R"(^(smb2/crypto/|rpc/.*tls|tests/))")},
      {std::regex(R"(^(gssapi/|krb5))"),
       std::regex(R"(^(wire/krb5/|smb2/auth/kerberos|rpc/gss_krb5|tests/))")},
      {std::regex(R"(^pcap)"), std::regex(R"(^profiler/capture/)")}};
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    const auto name = included(line);
    for (const auto& [header, where] : rules) {
      if (name.empty() || !std::regex_search(name, header)) continue;
      EXPECT_TRUE(std::regex_search(file.path, where))
          << file.path << ':' << number << ": " << name;
    }
  });
}

TEST(Tidy, CoresReadNoClock) {
  const std::vector<std::string> pure{"wire/", "rpc/", "nfs/", "smb2/", "profiler/"};
  const std::regex clock(
      R"((steady|system|high_resolution)_clock::now|net::now\(\)|clock_gettime)");
  const std::regex front(
      R"(wire/net/|connection|client\.|session|tree|file|profiler/capture/live|auth/|url|rpcbind)");
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    if (!starts_with_any(file.path, pure)) return;
    if (!file.path.ends_with("client_core.cpp") && std::regex_search(file.path, front)) return;
    EXPECT_FALSE(std::regex_search(line, clock)) << file.path << ':' << number << ": " << line;
  });
}

/// GCC 12 miscompiles these without a word (CONTRIBUTING.md lists what to write instead).
TEST(Tidy, CoAwaitStandsAlone) {
  const std::regex condition(R"(\b(if|while|switch)\s*\(\s*!?\s*\(?\s*co_await\b)");
  const std::regex ternary(R"(\?[^:;]*co_await|\?.*:\s*co_await)");
  const std::regex braces(R"(co_await[^;]*[(,]\s*\{|\{\s*(\.\w+\s*=\s*)?co_await)");
  const std::regex lambda(R"(co_await[^;]*\[[^\]\s][^\]]*\]\s*[({])");
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    if (file.path == "tests/tidy/tidy_test.cpp") return;
    for (const auto* pattern : {&condition, &ternary, &braces, &lambda})
      EXPECT_FALSE(std::regex_search(line, *pattern)) << file.path << ':' << number << ": " << line;
  });
}

TEST(Tidy, HeadersAreIncludedOnce) {
  for (const auto& file : sources()) {
    if (!file.path.ends_with(".hpp")) continue;
    EXPECT_NE(std::find(file.lines.begin(), file.lines.end(), "#pragma once"), file.lines.end())
        << file.path;
  }
}

TEST(Tidy, NoHeaderOpensANamespace) {
  const std::regex pattern(R"(^using namespace)");
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    if (!file.path.ends_with(".hpp")) return;
    EXPECT_FALSE(std::regex_search(line, pattern)) << file.path << ':' << number;
  });
}

TEST(Tidy, LinesAndFilesKeepTheirSize) {
  constexpr std::size_t columns_max = 100;
  constexpr std::size_t lines_max = 500;
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    const auto continuation = [](char c) { return (c & 0xC0) == 0x80; };
    const auto bytes = line.size();
    const auto columns =
        bytes - static_cast<std::size_t>(std::count_if(line.begin(), line.end(), continuation));
    const bool raw_text =
        line.find("R\"") != std::string::npos || line.find("http") != std::string::npos;
    if (raw_text) return;
    EXPECT_LE(columns, columns_max) << file.path << ':' << number;
  });
  for (const auto& file : sources()) {
    if (file.path.starts_with("tests/")) continue;
    EXPECT_LE(file.lines.size(), lines_max) << file.path << " is more than one thing";
  }
}

TEST(Tidy, NothingIsLeftToDo) {
  const std::regex pattern(R"(\b(TODO|FIXME|XXX|HACK)\b)");
  for_each_line([&](const source& file, std::size_t number, const std::string& line) {
    if (file.path == "tests/tidy/tidy_test.cpp") return;
    EXPECT_FALSE(std::regex_search(line, pattern)) << file.path << ':' << number << ": " << line;
  });
}

TEST(Tidy, EveryOperationNamesItsSection) {
  const std::regex folder(R"(/(ops|commands)/[^/]+\.hpp$)");
  const std::regex section(R"(RFC \d+ |MS-SMB2 |MS-FSCC )");
  for (const auto& file : sources()) {
    if (!std::regex_search(file.path, folder)) continue;
    const bool named = std::any_of(file.lines.begin(), file.lines.end(), [&](const auto& line) {
      return std::regex_search(line, section);
    });
    EXPECT_TRUE(named) << file.path << " names no section of its specification";
  }
}

/// A list that forgets a file would leave an operation undecoded and untested.
TEST(Tidy, EveryFileOfAFolderIsInItsList) {
  const std::map<std::string, std::string> lists{{"nfs/v3/ops/", "nfs/v3/operations.hpp"},
                                                 {"smb2/commands/", "smb2/commands.hpp"}};
  std::map<std::string, std::set<std::string>> listed;
  for_each_line([&](const source& file, std::size_t, const std::string& line) {
    listed[file.path].insert(included(line));
  });
  for (const auto& [folder, list] : lists) {
    for (const auto& file : sources()) {
      if (!file.path.starts_with(folder)) continue;
      EXPECT_TRUE(listed[list].contains(file.path)) << list << " lacks " << file.path;
    }
  }
}

} // namespace
