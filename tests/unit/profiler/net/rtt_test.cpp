#include "profiler/net/rtt.hpp"
#include "recorder.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::net::rtt_source;
using recorded::play;
using recorded::recorder;
using recorded::tcp_facts;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::pattern;
using support::tcp_talk;
using wire::nanos;
using wire::u32;

const auto client = support::v4(198, 18, 0, 1, 741);
const auto server = support::v4(198, 18, 0, 2, 2049);

tcp_facts facts_of(const tcp_talk& talk) {
  recorder to;
  play(talk.frames, to);
  return to.connections.at(0)->facts;
}

TEST(Rtt, IsSplitAtTheCapturePointByTheHandshake) {
  struct place {
    nanos to_server;
    nanos to_client;
  };
  // At the client, in the middle, at the server; 500 µs altogether.
  for (const auto& p :
       {place{microseconds(490), microseconds(10)}, place{microseconds(200), microseconds(300)},
        place{microseconds(12), microseconds(488)}}) {
    tcp_talk talk(client, server);
    talk.handshake(p.to_server, p.to_client);

    const auto f = facts_of(talk);

    EXPECT_EQ(f.server_side_rtt, p.to_server);
    EXPECT_EQ(f.client_side_rtt, p.to_client);
    EXPECT_EQ(f.rtt_min, microseconds(500));
    EXPECT_EQ(f.rtt_from, rtt_source::handshake);
    EXPECT_NEAR(static_cast<double>(f.rtt_p50.count()), 500e3, 20e3);
  }
}

/// A call of several segments in the middle of a connection, acknowledged without data, then the
/// reply after the server's own time.
tcp_talk middle(std::size_t call_bytes, nanos acked_after, int times = 1) {
  tcp_talk talk(client, server);
  talk.to_server(pattern(100)).wait(milliseconds(5)).to_client(pattern(100)).ack_by_client();
  for (int i = 0; i < times; ++i)
    talk.to_server(pattern(call_bytes))
        .wait(acked_after)
        .ack_by_server()
        .wait(milliseconds(5))
        .to_client(pattern(100))
        .wait(milliseconds(1))
        .ack_by_client();
  return talk;
}

TEST(Rtt, IsTakenFromAcknowledgementsThatCannotHaveWaited) {
  const auto f = facts_of(middle(4 * 1448, microseconds(700)));

  EXPECT_EQ(f.rtt_from, rtt_source::data_ack);
  EXPECT_EQ(f.server_side_rtt, microseconds(700));
  EXPECT_EQ(f.rtt_min, microseconds(700));
}

TEST(Rtt, IsNotTakenFromDelayedAcknowledgements) {
  // One segment only: 40 ms are the receiver's timer.
  const auto f = facts_of(middle(1000, milliseconds(40), 3));

  EXPECT_EQ(f.rtt_from, rtt_source::none);
  EXPECT_EQ(f.rtt_min, nanos{0});
  EXPECT_EQ(f.server_side_rtt, nanos{0});
}

TEST(Rtt, IsNotTakenFromRepliesThatCarryTheAcknowledgement) {
  tcp_talk talk(client, server);
  for (int i = 0; i < 5; ++i)
    talk.to_server(pattern(4 * 1448))
        .wait(milliseconds(8))
        .to_client(pattern(100))
        .wait(seconds(1));

  EXPECT_EQ(facts_of(talk).rtt_from, rtt_source::none);
}

TEST(Rtt, IsLoweredByRepliesOnceItIsTrusted) {
  auto talk = middle(4 * 1448, microseconds(700));
  talk.to_server(pattern(4 * 1448)).wait(microseconds(450)).to_client(pattern(100));

  EXPECT_EQ(facts_of(talk).server_side_rtt, microseconds(450));
}

TEST(Rtt, IsNotTakenFromBytesThatWereSentTwice) {
  tcp_talk talk(client, server);
  talk.to_server(pattern(100)).wait(milliseconds(5)).to_client(pattern(100)).ack_by_client();
  talk.to_server(pattern(2 * 1448));
  auto again = talk.frames.back();
  again.data[14 + 5] = std::byte{0x77}; // IP identification
  again.at += milliseconds(200);
  talk.frames.push_back(again);
  talk.now = again.at + microseconds(10);
  talk.ack_by_server();

  const auto f = facts_of(talk);

  EXPECT_EQ(f.retransmitted, 1u);
  EXPECT_EQ(f.rtt_from, rtt_source::none);
}

TEST(Rtt, DoesNotMistakeASleepingServerForADistantOne) {
  const auto first_syn = [](bool timestamps) {
    tcp_talk talk(client, server, {.timestamps = timestamps});
    talk.handshake(seconds(1), microseconds(50));
    auto again = talk.frames.front();
    again.at += milliseconds(999);
    again.data[14 + 5] = std::byte{0x77};
    talk.frames.insert(talk.frames.begin() + 1, again);
    return facts_of(talk);
  };

  EXPECT_EQ(first_syn(false).server_side_rtt, nanos{0});
  EXPECT_EQ(first_syn(true).server_side_rtt, nanos{0});
}

TEST(WindowedMin, ForgetsWhatIsLongAgo) {
  profiler::net::windowed_min m;
  m.add(nanos{100}, seconds(0));
  m.add(nanos{500}, seconds(10));
  EXPECT_EQ(m.value(), nanos{100});
  m.add(nanos{400}, seconds(31));
  EXPECT_EQ(m.value(), nanos{100});
  m.add(nanos{450}, seconds(62));
  EXPECT_EQ(m.value(), nanos{400});
}

TEST(DurationQuantiles, AreWithinFourPercent) {
  for (const wire::i64 scale : {1'000, 37'000, 2'000'000, 900'000'000}) {
    profiler::net::duration_quantiles m;
    for (int i = 1; i <= 99; ++i)
      m.add(nanos{scale * i});

    const auto off = static_cast<double>(m.value().count()) / static_cast<double>(scale * 50) - 1.0;
    EXPECT_LT(std::abs(off), 0.04) << scale;
  }
  profiler::net::duration_quantiles extremes;
  extremes.add(nanos{0});
  EXPECT_LE(extremes.value(), nanos{70});
  extremes.add(nanos::max());
  extremes.add(nanos::max());
  EXPECT_GT(extremes.value(), seconds(60));
}

TEST(DurationQuantiles, StayRightWhenTheirCountersOverflow) {
  profiler::net::duration_quantiles q;
  for (int i = 0; i < 200'000; ++i)
    q.add(i % 4 == 0 ? nanos{100'000} : nanos{1'000'000});

  EXPECT_EQ(q.count(), 200'000u);
  EXPECT_NEAR(static_cast<double>(q.value(0.2).count()), 100e3, 4e3);
  EXPECT_NEAR(static_cast<double>(q.value(0.3).count()), 1e6, 4e4);
}

} // namespace
