#include "profiler/report/json.hpp"
#include "tests/support/small_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using profiler::report::analysis_document;
using profiler::report::json;
using testing::ElementsAre;
using testing::IsSupersetOf;

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items())
    out.push_back(key);
  return out;
}

json small_file_document() {
  return analysis_document(support::analyse(support::small_files(10)).result);
}

TEST(JsonReport, HasTheKeysOfItsSchema) {
  const auto document = small_file_document();

  EXPECT_EQ(document["schema"], "wiretrip.analysis/1");
  EXPECT_THAT(keys_of(document),
              IsSupersetOf({"capture", "connections", "operations", "files", "wall", "findings"}));
  EXPECT_THAT(keys_of(document["capture"]),
              IsSupersetOf({"files", "packets", "bytes", "duration_s", "link_types", "coverage"}));
  EXPECT_THAT(
      keys_of(document["capture"]["coverage"]),
      IsSupersetOf({"calls", "timed", "unanswered", "orphan_replies", "by_elimination", "share"}));
  EXPECT_THAT(
      keys_of(document["connections"].at(0)),
      IsSupersetOf({"client", "server", "transport", "protocol", "mss", "mtu", "rtt_us",
                    "rtt_source", "segments", "retransmitted", "out_of_order", "zero_window_s"}));
  EXPECT_THAT(keys_of(document["operations"].at(0)),
              IsSupersetOf({"protocol", "operation", "count", "errors", "bytes", "latency_us",
                            "srt_us", "phases_us", "seconds"}));
  EXPECT_THAT(keys_of(document["operations"].at(0)["latency_us"]),
              ElementsAre("min", "mean", "p50", "p90", "p99", "p999", "max"));
  EXPECT_THAT(keys_of(document["files"]), IsSupersetOf({"count", "round_trips_per_file",
                                                        "sequences", "bytes_mean", "io_size"}));
  EXPECT_THAT(keys_of(document["files"]["round_trips_per_file"]),
              ElementsAre("mean", "p50", "max"));
  EXPECT_THAT(keys_of(document["files"]["sequences"].at(0)),
              ElementsAre("operations", "files", "round_trips", "seconds"));
  EXPECT_THAT(keys_of(document["files"]["io_size"]), IsSupersetOf({"read", "write"}));
  EXPECT_THAT(keys_of(document["wall"]), IsSupersetOf({"seconds", "attribution", "residual_s"}));
  EXPECT_THAT(keys_of(document["wall"]["attribution"].at(0)),
              IsSupersetOf({"to", "seconds", "share"}));
}

TEST(JsonReport, TellsWhatTheCaptureSaysBesideItsPackets) {
  profiler::result r;
  auto& d = r.capture.details;
  r.capture.filtered_out = 3;
  d.interfaces.push_back({.name = "eth0",
                          .link_type = 1,
                          .snap_length = 96,
                          .dropped_by_interface = 4,
                          .dropped_by_system = 5,
                          .filter = "port 2049"});
  d.application = "dumpcap";
  d.comments = 2;
  d.comment_texts = {{7, "seven"}, {0, "all"}};
  d.names = 9;
  d.secrets = {{"TLS key log", 1}};
  d.skipped = {{"systemd journal export", 3}};
  d.damaged_places = 1;
  d.damaged_bytes = 100;

  const auto capture = analysis_document(r)["capture"];

  EXPECT_EQ(capture["filtered_out"], 3);
  const auto& i = capture["interfaces"].at(0);
  EXPECT_EQ(i["name"], "eth0");
  EXPECT_EQ(i["snap_length"], 96);
  EXPECT_EQ(i["resolution_ns"], 1000);
  EXPECT_EQ(i["dropped"], 9);
  EXPECT_EQ(i["dropped_by_interface"], 4);
  EXPECT_EQ(i["dropped_by_system"], 5);
  EXPECT_EQ(i["filter"], "port 2049");
  EXPECT_EQ(capture["comments"]["count"], 2);
  EXPECT_EQ(capture["comments"]["texts"].at(0)["frame"], 7);
  EXPECT_FALSE(capture["comments"]["texts"].at(1).contains("frame"));
  EXPECT_EQ(capture["application"], "dumpcap");
  EXPECT_FALSE(capture.contains("hardware"));
  EXPECT_EQ(capture["names"], 9);
  EXPECT_EQ(capture["secrets"].at(0)["what"], "TLS key log");
  EXPECT_EQ(capture["other_blocks"].at(0)["count"], 3);
  EXPECT_EQ(capture["damage"]["bytes"], 100);
}

TEST(JsonReport, TellsTheSmallFileStory) {
  const auto document = small_file_document();

  EXPECT_EQ(document["files"]["count"], 10);
  EXPECT_EQ(document["files"]["round_trips_per_file"]["mean"], 5.0);
  EXPECT_EQ(document["files"]["bytes_mean"], 10'240);
  EXPECT_EQ(document["files"]["io_size"]["write"], 10'240);
  std::vector<std::vector<std::string>> sequences;
  for (const auto& s : document["files"]["sequences"])
    sequences.push_back(s["operations"]);
  EXPECT_THAT(sequences,
              testing::UnorderedElementsAre(ElementsAre("CREATE", "WRITE"),
                                            ElementsAre("LOOKUP", "READ"), ElementsAre("REMOVE")));
  const auto& create = *std::find_if(document["operations"].begin(), document["operations"].end(),
                                     [](const json& o) { return o["operation"] == "CREATE"; });
  EXPECT_EQ(create["protocol"], "nfs3");
  EXPECT_EQ(create["count"], 10);
  EXPECT_DOUBLE_EQ(create["srt_us"]["mean"], 300.0);
  EXPECT_NEAR(create["phases_us"]["network"].get<double>(), 100.0, 0.1);
  EXPECT_NEAR(create["phases_us"]["server"].get<double>(), 200.0, 0.1);
}

TEST(JsonReport, AttributionAndOperationsAddUpToTheWallTime) {
  const auto document = small_file_document();
  const auto& wall = document["wall"];

  double attributed = 0;
  double think = 0;
  for (const auto& row : wall["attribution"]) {
    attributed += row["seconds"].get<double>();
    if (row["to"] == "think") think = row["seconds"];
  }
  double operations = 0;
  for (const auto& row : document["operations"])
    operations += row["seconds"].get<double>();

  const double seconds = wall["seconds"];
  EXPECT_NEAR(attributed, seconds, 1e-9);
  EXPECT_NEAR(operations + think, seconds, 1e-9);
  EXPECT_NEAR(think, 49 * 50e-6, 1e-9);
  EXPECT_NEAR(wall["residual_s"].get<double>(), 0, 1e-9);
}

TEST(JsonReport, OfNothingIsWholeToo) {
  const auto document = analysis_document({});

  EXPECT_EQ(document["operations"].size(), 0u);
  EXPECT_EQ(document["wall"]["seconds"], 0.0);
  EXPECT_EQ(document["files"]["count"], 0);
}

TEST(JsonReport, WritesOperationsOfOurOwnClientsWithTheirPhases) {
  profiler::analysis::operation_table operations;
  profiler::timing::attribution wall;
  auto e = support::exchange_at(50, 60, 500, 600, 8);
  using std::chrono::microseconds;
  e.t.submitted = microseconds(10);
  e.t.granted = microseconds(30);
  e.t.encoded = microseconds(45);
  e.t.completed = microseconds(640);
  operations.on_exchange(e);
  wall.on_exchange(e);
  wall.finish();

  const auto rows = profiler::report::operations_of(operations, wall);

  EXPECT_DOUBLE_EQ(rows.at(0)["phases_us"]["queue"], 20.0);
  EXPECT_DOUBLE_EQ(rows.at(0)["phases_us"]["encode"], 20.0);
  EXPECT_DOUBLE_EQ(rows.at(0)["phases_us"]["decode"], 40.0);
  EXPECT_NEAR(rows.at(0)["seconds"].get<double>(), 630e-6, 1e-12);
}

} // namespace
