#include "profiler/net/line_rate.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using profiler::net::direction;
using profiler::net::line_rate;
using profiler::net::tcp_facts;
using wire::nanos;
using wire::u32;

constexpr u32 mss = 1448;
/// 1538 bytes of Ethernet at 100 Mbit/s carry 1448 of payload.
constexpr nanos segment_time = 123'040ns;
constexpr double ns_per_kib = 123'040.0 * 1024 / 1448;

double to_server(const tcp_facts& f) {
  return static_cast<double>(f.kib_time[0].count());
}
double to_client(const tcp_facts& f) {
  return static_cast<double>(f.kib_time[1].count());
}

/// A message of `segments` full segments and a short one; `gap` apart.
nanos message(line_rate& rate, int segments, nanos at, nanos gap) {
  for (int i = 0; i < segments; ++i, at += gap)
    rate.arrived(direction::to_client, mss, true, at);
  rate.arrived(direction::to_client, 200, false, at);
  return at;
}

TEST(LineRate, IsReadFromTheSegmentsOfLongReplies) {
  tcp_facts facts;
  line_rate rate(facts);
  nanos at = 1s;
  for (int i = 0; i < 20; ++i)
    at = message(rate, 7, at, segment_time) + 1ms;

  EXPECT_NEAR(to_client(facts), ns_per_kib, 0.05 * ns_per_kib);
  EXPECT_EQ(to_server(facts), 0);
}

TEST(LineRate, DoesNotTakeAServerThatPausesForTheLine) {
  tcp_facts facts;
  line_rate rate(facts);
  nanos at = 1s;
  for (int i = 0; i < 40; ++i)
    at = message(rate, 7, at, i % 2 == 0 ? segment_time : 40 * segment_time) + 1ms;

  EXPECT_NEAR(to_client(facts), ns_per_kib, 0.05 * ns_per_kib);
}

TEST(LineRate, IsNotReadFromShortReplies) {
  tcp_facts facts;
  line_rate rate(facts);
  nanos at = 1s;
  for (int i = 0; i < 100; ++i)
    at = message(rate, 2, at, segment_time) + 1ms;

  EXPECT_EQ(to_client(facts), 0);
}

/// At a client's capture point a call leaves at once and is acknowledged at the line's pace.
TEST(LineRate, IsReadFromAcknowledgementsOfWhatPassedTheLineBehindTheCapturePoint) {
  tcp_facts facts;
  line_rate rate(facts);
  nanos at = 1s;
  u32 seq = 1000;
  for (int call = 0; call < 10; ++call) {
    const nanos sent = at;
    for (int pair = 1; pair <= 3; ++pair)
      rate.acknowledged(direction::to_server, seq + static_cast<u32>(pair) * 2 * mss,
                        sent + 1us * pair, sent + 500us + pair * 2 * segment_time);
    seq += 6 * mss + 300;
    at += 5ms;
  }

  EXPECT_NEAR(to_server(facts), ns_per_kib, 0.05 * ns_per_kib);
}

TEST(LineRate, LeavesOutCallsThatWereSentFurtherApartThanTheyWereAcknowledged) {
  tcp_facts facts;
  line_rate rate(facts);
  nanos at = 1s;
  u32 seq = 1000;
  for (int call = 0; call < 50; ++call) {
    at += 5ms + (call % 2 == 0 ? 100us : 0us);
    seq += 2 * mss;
    rate.acknowledged(direction::to_server, seq, at, at + (call % 2 == 0 ? 500us : 450us));
  }

  // Every other pair looks like 5.05 ms for 2896 bytes, sent 5 ms apart: it is a bound from above.
  EXPECT_TRUE(to_server(facts) == 0 || to_server(facts) > ns_per_kib);
}

} // namespace
