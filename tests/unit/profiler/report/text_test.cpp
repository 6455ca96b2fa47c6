#include "profiler/report/headline.hpp"
#include "profiler/report/text.hpp"
#include "tests/support/small_files.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace {

using profiler::report::headline;
using profiler::report::text_of;
using support::analyse;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

/// Columns on a terminal: the reports use no characters wider than one.
std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Everything that a report can have lines about.
profiler::result busy_result() {
  profiler::result r = analyse(support::small_files(3)).result;
  for (wire::u16 n = 0; n < 22; ++n) {
    for (wire::u32 connection = 0; connection < 3; ++connection) {
      auto e = support::exchange_at(n * 100L, n * 100L + 1, n * 100L + 90, n * 100L + 95, n);
      e.failed = n % 3 == 0;
      r.operations.on_exchange(e);
    }
  }
  profiler::timing::attribution wall;
  auto e = support::exchange_at(0, 10, 1000, 1100, 1);
  e.request_stall = std::chrono::microseconds(5);
  e.connection = 1;
  wall.on_exchange(e);
  auto lost = support::exchange_at(1200, 1200, 0, 0);
  lost.replied = false;
  lost.t.r0 = lost.t.r1 = wire::unknown_time;
  lost.t.completed = std::chrono::microseconds(1500);
  wall.on_exchange(lost);
  wall.on_exchange(support::exchange_at(1700, 1700, 1800, 1800));
  wall.finish();
  r.wall.merge(wall);
  r.seen.unanswered = r.seen.orphan_replies = r.seen.by_elimination = r.seen.retransmitted = 1;
  r.seen.duplicate_replies = r.seen.encrypted_messages = r.seen.malformed = r.seen.lost_steps = 1;
  r.network.not_ip = r.network.bad_ip = r.network.gaps = 5;
  r.capture.filtered_out = r.capture.dropped = r.capture.cut_packets = 5;
  r.capture.details.damaged_bytes = r.capture.details.link_errors = 5;
  r.capture.details.secrets = {{"TLS key log", 1}};
  for (int i = 0; i < 6; ++i)
    r.connections.push_back(r.connections.front());
  return r;
}

TEST(TextReport, FitsOnATerminal) {
  const auto lines = lines_of(text_of(busy_result()));

  EXPECT_LE(lines.size(), 40u);
  for (const auto& line : lines)
    EXPECT_LE(columns_of(line), 120u) << line;
}

TEST(TextReport, FitsOnATerminalWithLongAddressesAndPaths) {
  auto r = busy_result();
  auto& c = r.connections.front();
  for (auto* end : {&c.key.client, &c.key.server})
    end->address.fill(0xfd);
  c.exchanges = 1'000'000;
  r.slowest = {{.path = "/" + std::string(4096, 'd') + "/the-name", .round_trips = 1, .seconds = 2},
               {.path = "/b", .round_trips = 1, .seconds = 1}};

  const auto text = text_of(r);

  EXPECT_THAT(text, HasSubstr("/the-name (2.00 s, 1 round trip)"));
  EXPECT_LE(lines_of(text).size(), 40u);
  for (const auto& line : lines_of(text))
    EXPECT_LE(columns_of(line), 120u) << line;
}

TEST(TextReport, HasNoFigureWhereNothingWasAnswered) {
  profiler::result r;
  auto e = support::exchange_at(0, 10, 0, 0);
  e.replied = false;
  e.t.r0 = e.t.r1 = wire::unknown_time;
  r.operations.on_exchange(e);

  const auto text = text_of(r);

  EXPECT_THAT(text, Not(HasSubstr("0.0 ")));
  EXPECT_THAT(text, HasSubstr("coverage: 0 of 0 requests timed\n"));
}

TEST(TextReport, KeepsColumnsApart) {
  profiler::result r;
  r.operations.on_exchange(support::exchange_at(0, 10, 20'000'000, 20'000'000));

  EXPECT_THAT(text_of(r), HasSubstr(" 20000000.0 20000000.0 "));
}

TEST(TextReport, StaysInItsColumnsWhenClocksWentWrong) {
  profiler::result r;
  r.operations.on_exchange(support::exchange_at(0, 10, 20, 4'000'000'000'000'000));

  for (const auto& line : lines_of(text_of(r)))
    EXPECT_LE(columns_of(line), 120u) << line;
}

TEST(TextReport, IsSureOfNothingWhereNothingIs) {
  auto r = analyse(support::small_files(10)).result;
  r.seen.calls *= 10;

  EXPECT_THAT(text_of(r), Not(HasSubstr("confidence high")));
  EXPECT_THAT(text_of(r), HasSubstr("low for "));
}

TEST(TextReport, ShowsTheSequencesTheTimeAndTheConnection) {
  const auto text = text_of(analyse(support::small_files(10)).result);

  EXPECT_THAT(text, HasSubstr("CREATE WRITE"));
  EXPECT_THAT(text, HasSubstr("LOOKUP READ"));
  EXPECT_THAT(text, HasSubstr("198.18.1.1:741 > 198.18.1.2:2049 nfs3 tcp"));
  EXPECT_THAT(text, HasSubstr("50 of 50 requests timed (100.00 %)"));
  EXPECT_THAT(text, HasSubstr("think"));
}

TEST(TextReport, SaysWhatTheCaptureLacks) {
  profiler::result r;
  r.capture.filtered_out = 7;
  r.capture.dropped = 8;
  r.capture.cut_packets = 9;

  const auto text = text_of(r);

  EXPECT_THAT(text, HasSubstr("7 packets left out by the filter"));
  EXPECT_THAT(text, HasSubstr("8 packets dropped while capturing"));
  EXPECT_THAT(text, HasSubstr("9 packets captured shorter than they were"));
}

TEST(TextReport, OfACaptureWithoutRequestsSaysSo) {
  const auto lines = lines_of(text_of({}));

  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], "No answered NFS or SMB2 request in 0 packets.");
}

TEST(Headline, SaysWhereTheTimeWentAndWhatAFileCost) {
  const auto lines = headline(analyse(support::small_files(10)).result);

  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("57 % the server"));
  EXPECT_THAT(lines[0], HasSubstr("29 % the network, 50 round trips of 100 µs"));
  EXPECT_EQ(lines[1], "10 files took 5 round trips each (median 5, most 5).");
}

TEST(Headline, SaysWhenASerialClientMostlyWaits) {
  using namespace std::chrono_literals;
  support::tcp_talk talk(support::v4(198, 18, 1, 1, 741), support::v4(198, 18, 1, 2, 2049));
  talk.handshake(20ms);
  for (wire::u32 xid = 1; xid <= 20; ++xid)
    talk.wait(1ms)
        .to_server(support::getattr_call(xid, 3))
        .wait(21ms)
        .to_client(support::getattr_reply(xid));

  const auto lines = headline(analyse(talk.frames).result);

  EXPECT_THAT(lines.back(), HasSubstr("One request at a time"));
}

} // namespace
