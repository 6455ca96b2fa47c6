#include "tests/golden/tshark_answers.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

/// compare_tshark CAPTURE...: counts per operation and mean service response times of wiretrip
/// against those of the tshark that is installed; each difference with its reason.
/// Exit status: 0 no difference without a reason, 1 there are some, 77 tshark is not there.
namespace {

struct pipe_closer {
  void operator()(std::FILE* f) const noexcept { pclose(f); }
};

std::string quoted(const std::string& path) {
  std::string out = "'";
  for (const char c : path)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<std::string> output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, pipe_closer> pipe(popen(command.c_str(), "r"));
  if (!pipe) return std::nullopt;
  std::string out;
  std::array<char, 65536> buffer;
  while (const auto n = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    out.append(buffer.data(), n);
  return out;
}

/// A client's port can be another protocol's by name: tshark is told what is RPC. It reads gzip but
/// not bzip2.
std::string tshark_command(const std::string& capture) {
  const bool bzip2 = capture.ends_with(".bz2");
  return (bzip2 ? "bzip2 -dc " + quoted(capture) + " | tshark -r -"
                : "tshark -r " + quoted(capture)) +
         " -d tcp.port==2049,rpc -d udp.port==2049,rpc -q -z rpc,srt,100003,2 -z rpc,srt,100003,3 "
         "-z rpc,srt,100003,4 "
         "-z smb2,srt "
         "2>/dev/null";
}

int compare(const std::string& capture) {
  support::exchange_log log;
  profiler::analyzer analyzer;
  analyzer.add_sink(log);
  if (const auto read = analyzer.file(capture); !read) {
    fmt::print("{}: {}\n", capture, read.error());
    return 0;
  }
  const auto result = analyzer.finish();
  const auto ours = golden::rows_of(result, log.all);
  const auto text = output_of(tshark_command(capture));
  if (!text) return 1;
  const auto differences = golden::differences(golden::parse_tshark(*text), ours);
  fmt::print("{}: {} operations, {} differ\n", capture, ours.size(), differences.size());
  int unexplained = 0;
  for (const auto& d : differences) {
    const auto reason = golden::reason_for(capture, d);
    fmt::print("  {}\n    {}\n", describe(d), reason.empty() ? "NOT EXPLAINED" : reason);
    unexplained += reason.empty() ? 1 : 0;
  }
  return unexplained;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: compare_tshark CAPTURE...\n");
    return 2;
  }
  if (std::system("tshark --version >/dev/null 2>&1") != 0) {
    fmt::print(stderr, "compare_tshark: tshark is not installed\n");
    return 77;
  }
  int unexplained = 0;
  for (int i = 1; i < argc; ++i)
    unexplained += compare(argv[i]);
  return unexplained == 0 ? 0 : 1;
}
