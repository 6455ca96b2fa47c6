#include "profiler/report/json.hpp"
#include "tests/golden/tshark_answers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

/// Whole analyses of real captures: our own in captures/, and those of others where they are.
namespace {

namespace fs = std::filesystem;
using profiler::report::json;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> files_with(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().string().ends_with(suffix)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

struct analysed {
  profiler::result result;
  std::vector<wire::exchange> exchanges;
};

/// With the keys that stand beside the capture, if there are any.
profiler::analysis_options options_for(const fs::path& capture) {
  profiler::analysis_options out;
  const auto path = capture.string() + ".keys";
  if (!fs::exists(path)) return out;
  auto keys = profiler::flow::smb2_keys::load(path);
  EXPECT_TRUE(keys) << keys.error();
  if (keys) out.smb2_keys = std::move(*keys);
  return out;
}

analysed analyse(const fs::path& capture) {
  support::exchange_log log;
  profiler::analyzer analyzer(options_for(capture));
  analyzer.add_sink(log);
  static_cast<void>(analyzer.file(capture.string()));
  auto result = analyzer.finish();
  return {std::move(result), std::move(log.all)};
}

const fs::path root(WIRETRIP_SOURCE_DIR);
constexpr std::string_view answers_suffix = ".tshark.txt";

/// Where the captures of others lie, if they do.
const fs::path shared = root / ".." / "shared" / "captures";

class PublicCaptures : public testing::Test {
 protected:
  struct answered_capture {
    std::string path;
    std::string answers; ///< what tshark said
    golden::srt_table tshark;
    analysed got;
  };

  /// All of them are read once; unpacking takes most of the time.
  static void SetUpTestSuite() {
    for (const auto& answer : files_with(shared, answers_suffix)) {
      const auto path = answer.string();
      const auto capture = path.substr(0, path.size() - answers_suffix.size());
      auto text = text_of_file(answer);
      auto tshark = golden::parse_tshark(text);
      captures.push_back({capture, std::move(text), std::move(tshark), analyse(capture)});
    }
  }
  static void TearDownTestSuite() { captures.clear(); }

  void SetUp() override {
    if (captures.empty()) GTEST_SKIP() << "no captures in " << shared;
  }

  static inline std::vector<answered_capture> captures;
};

TEST_F(PublicCaptures, CountAndTimeRequestsAsTsharkDoesOrForAKnownReason) {
  std::size_t rows = 0;
  for (const auto& c : captures) {
    const auto ours = golden::rows_of(c.got.result, c.got.exchanges);
    rows += ours.size();
    for (const auto& d : golden::differences(c.tshark, ours))
      EXPECT_FALSE(golden::reason_for(c.path, d).empty()) << c.path << "\n  " << describe(d);
  }
  EXPECT_GT(rows, 100u) << "the captures hold that many operations";
}

TEST_F(PublicCaptures, CountCallsOfEachProgramAsTsharkDoesOrForAKnownReason) {
  struct known_difference {
    std::string_view capture; ///< end of its path
    wire::protocol program;
    wire::i64 more; ///< ours less tshark's
  };
  constexpr std::array known{
      // Frame 38 says that the program is not there; an answer, for which tshark has no row.
      known_difference{"2sessions-tcp-wsize32k-tcp-wsize512k.pcap.bz2", wire::protocol::nfsacl, 1},
      // Frames 182 and 186 answer the same xid.
      known_difference{"eth-ipv4-udp-nfsv3-dup-retransm.pcap", wire::protocol::nfs3, -1},
      // Each WRITE lacks some of its data.
      known_difference{"tcp-seq-overlap-in-fragment-12721.pcap.bz2", wire::protocol::nfs3, 6168},
  };
  std::size_t programs = 0;
  for (const auto& c : captures) {
    auto expected = golden::parse_programs(c.answers);
    programs += expected.size();
    for (const auto& k : known)
      if (c.path.ends_with(k.capture)) expected[k.program] += static_cast<wire::u64>(k.more);
    EXPECT_EQ(golden::programs_of(c.got.exchanges), expected) << c.path;
  }
  EXPECT_GT(programs, 20u);
}

TEST_F(PublicCaptures, CountSmb2MessagesAsTsharkDoesOrForAKnownReason) {
  // Our responses less tshark's.
  const std::map<std::string_view, int> known_otherwise{
      {"smb2-peter-minus-p191-p192.pcap", 1}, // a READ response that lacks two segments
      {"smb2_fscontrol.pcap", -1}, // frame 4 goes to the server, and its lengths cannot be
  };
  std::size_t commands = 0;
  for (const auto& c : captures) {
    auto expected = golden::parse_smb2_messages(c.answers);
    commands += expected.requests.size();
    for (const auto& [end, more] : known_otherwise)
      if (c.path.ends_with(end)) expected.responses += static_cast<wire::u64>(more);
    const auto ours = golden::smb2_messages_of(c.got.result, c.got.exchanges);
    if (c.path.ends_with("bug-8629-async-oneside.pcap")) // acknowledgements stand for responses
      expected.responses = ours.responses;
    EXPECT_EQ(ours.requests, expected.requests) << c.path;
    EXPECT_EQ(ours.responses, expected.responses) << c.path;
  }
  EXPECT_GT(commands, 100u);
}

TEST_F(PublicCaptures, AttributeAllOfTheWallTime) {
  for (const auto& c : captures) {
    const auto& r = c.got.result;
    double sum = 0;
    for (const auto& row : r.wall.rows())
      sum += row.seconds;
    EXPECT_NEAR(sum, r.wall.wall_seconds(), 1e-6 + 1e-9 * r.wall.wall_seconds()) << c.path;
    EXPECT_LE(r.seen.share(), 1.0) << c.path;
    EXPECT_EQ(r.seen.calls, r.seen.answered + r.seen.unanswered + r.seen.still_waiting) << c.path;
  }
}

/// What `tshark -d tcp.port==2049,rpc -T fields -e rpc.msgtyp -e nfs.opcode` counts in replies: the
/// operations that were executed.
struct nfs4_counts {
  std::string_view capture; ///< end of its path
  std::map<wire::u16, wire::u64> operations;
};

const std::array nfs4_captures{
    nfs4_counts{"eth-ipv4-tcp-nfsv4.pcap.bz2",
                {{3, 1},
                 {4, 1},
                 {5, 1},
                 {9, 1604},
                 {10, 1},
                 {15, 1},
                 {18, 1},
                 {20, 1},
                 {22, 1607},
                 {34, 1},
                 {38, 1600}}},
    nfs4_counts{"eth-ipv4-tcp-nfsv41.pcap",
                {{3, 51},  {4, 19},  {6, 6},    {8, 6},   {9, 448}, {10, 23}, {11, 1},
                 {15, 25}, {18, 27}, {22, 520}, {24, 2},  {25, 5},  {26, 23}, {28, 14},
                 {29, 2},  {31, 1},  {32, 3},   {34, 27}, {38, 10}, {42, 1},  {43, 1},
                 {44, 1},  {52, 1},  {53, 521}, {57, 1},  {58, 1}}}};

TEST_F(PublicCaptures, CountEachNfs4OperationAsTsharkDoes) {
  for (const auto& expected : nfs4_captures) {
    const auto c = std::find_if(captures.begin(), captures.end(),
                                [&](const auto& x) { return x.path.ends_with(expected.capture); });
    if (c == captures.end()) GTEST_SKIP() << "no " << expected.capture << " in " << shared;
    std::map<wire::u16, wire::u64> ours;
    for (const auto& e : c->got.exchanges)
      if (is_nfs4(e.proto) && e.operation > 1 && e.replied) ++ours[e.operation];
    EXPECT_EQ(ours, expected.operations) << c->path;
    EXPECT_EQ(c->got.result.seen.hidden_parts, 0u) << c->path;
  }
}

/// Each capture of ours has its expected answers beside it:
///   {"calls": 50, "timed": 50, "operations": {"nfs3 CREATE": 10}, "files": 10,
///    "round_trips_per_file": 5.0, "sequences": ["CREATE WRITE"]}
/// Keys may be left out.
void expect_answers(const profiler::result& r, const json& expected) {
  const auto document = profiler::report::analysis_document(r);
  std::map<std::string, wire::u64> counts;
  for (const auto& row : document["operations"])
    counts[row["protocol"].get<std::string>() + " " + row["operation"].get<std::string>()] =
        row["count"];
  std::vector<std::string> sequences;
  for (const auto& s : document["files"]["sequences"])
    sequences.push_back(
        fmt::format("{}", fmt::join(s["operations"].get<std::vector<std::string>>(), " ")));
  for (const auto& [key, value] : expected.items()) {
    if (key == "calls" || key == "timed" || key == "unanswered" || key == "orphan_replies" ||
        key == "decrypted_messages") {
      EXPECT_EQ(document["capture"]["coverage"][key], value) << key;
    } else if (key == "operations") {
      for (const auto& [name, count] : value.items())
        EXPECT_EQ(counts[name], count.get<wire::u64>()) << name;
    } else if (key == "files") {
      EXPECT_EQ(document["files"]["count"], value);
    } else if (key == "round_trips_per_file") {
      EXPECT_NEAR(document["files"]["round_trips_per_file"]["mean"].get<double>(),
                  value.get<double>(), 0.01);
    } else if (key == "sequences") {
      for (const auto& s : value)
        EXPECT_NE(std::find(sequences.begin(), sequences.end(), s.get<std::string>()),
                  sequences.end())
            << s;
    } else {
      ADD_FAILURE() << "the expected answers have the unknown key " << key;
    }
  }
}

TEST(OwnCaptures, GiveTheAnswersThatStandBesideThem) {
  constexpr std::string_view suffix = ".expect.json";
  const auto answers = files_with(root / "captures", suffix);
  if (answers.empty()) GTEST_SKIP() << "no expected answers in captures/";
  for (const auto& answer : answers) {
    const auto path = answer.string();
    const auto capture = path.substr(0, path.size() - suffix.size());
    SCOPED_TRACE(capture);
    ASSERT_TRUE(fs::exists(capture)) << "the capture of these answers is not there";
    expect_answers(analyse(capture).result, json::parse(text_of_file(answer)));
  }
}

TEST(OwnCaptures, AllHaveExpectedAnswers) {
  for (const auto& suffix : {".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz"})
    for (const auto& capture : files_with(root / "captures", suffix))
      EXPECT_TRUE(fs::exists(capture.string() + ".expect.json")) << capture;
}

} // namespace
