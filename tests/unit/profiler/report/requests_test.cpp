#include "profiler/report/requests.hpp"
#include "tests/support/exchanges.hpp"
#include "tests/support/pcap_builder.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using profiler::report::request_line;
using profiler::report::request_log;

TEST(RequestLine, IsOneJsonObject) {
  auto e = support::exchange_at(1, 2, 3, 4, 6);
  e.id = 77;
  e.connection = 5;
  e.interim = true;

  const auto line = nlohmann::json::parse(request_line(e));

  EXPECT_EQ(line["id"], 77);
  EXPECT_EQ(line["connection"], 5);
  EXPECT_EQ(line["protocol"], "nfs3");
  EXPECT_EQ(line["operation"], "READ");
  EXPECT_EQ(line["q0_ns"], 1000);
  EXPECT_EQ(line["r1_ns"], 4000);
  EXPECT_EQ(line["interim"], true);
  EXPECT_FALSE(line.contains("submitted_ns"));
  EXPECT_FALSE(line.contains("unanswered"));
}

TEST(RequestLine, LeavesTimesOutThatAreNotKnown) {
  auto e = support::exchange_at(1, 2, 3, 4);
  e.replied = false;
  e.t.r0 = e.t.r1 = wire::unknown_time;

  const auto line = nlohmann::json::parse(request_line(e));

  EXPECT_FALSE(line.contains("r0_ns"));
  EXPECT_FALSE(line.contains("r1_ns"));
  EXPECT_EQ(line["unanswered"], true);
}

TEST(RequestLog, WritesALineForEachExchange) {
  const support::temporary_file file(wire::bytes{}, ".ndjson");
  auto log = request_log::open(file.path());
  ASSERT_TRUE(log);
  log->on_exchange(support::exchange_at(1, 2, 3, 4));
  log->on_exchange(support::exchange_at(5, 6, 7, 8));
  ASSERT_TRUE(log->close());

  std::ifstream in(file.path());
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    EXPECT_TRUE(nlohmann::json::accept(line));
    ++lines;
  }
  EXPECT_EQ(lines, 2);
}

TEST(RequestLog, SaysWhyAFileCannotBeWritten) {
  const auto log = request_log::open("/no/such/folder/requests.ndjson");

  ASSERT_FALSE(log);
  EXPECT_NE(log.error().find("/no/such/folder"), std::string::npos);
}

TEST(RequestLog, SaysWhenTheDiskIsFull) {
  auto log = request_log::open("/dev/full");
  ASSERT_TRUE(log);
  log->on_exchange(support::exchange_at(1, 2, 3, 4));

  EXPECT_FALSE(log->close());
}

} // namespace
