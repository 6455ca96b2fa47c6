#include "tcp_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tcp_script;
using recorded::play;
using recorded::recorder;
using testing::ElementsAre;
using testing::SizeIs;

TEST(TcpConnection, PassesBytesOnInTheOrderOfTheCapture) {
  auto x = joined();
  x.c(1100, 5050, 10).s(5050, 1110, 20);
  recorder to;

  const auto counts = play(x.frames, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  const auto& c = *to.connections[0];
  EXPECT_THAT(c.events, ElementsAre("> 100", "< 50", "> 10", "< 20", "end"));
  EXPECT_EQ(c.to_server().data, pattern(110, 1000));
  EXPECT_EQ(c.to_server().chunk_times[1].packet, 3u);
  EXPECT_TRUE(c.mid_stream);
  EXPECT_EQ(c.key.client, client);
  EXPECT_EQ(c.facts.segments, 4u);
  EXPECT_FALSE(c.facts.handshake_seen);
  EXPECT_EQ(counts.connections_mid_stream, 1u);
}

TEST(TcpConnection, DeliversReorderedBytesWithTheirOwnTimes) {
  auto x = joined();
  x.c(1300, 5050, 100).c(1200, 5050, 100).c(1100, 5050, 100).s(5050, 1400, 20);
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_THAT(c.events, ElementsAre("> 100", "< 50", "> 100", "> 100", "> 100", "< 20", "end"));
  EXPECT_EQ(c.to_server().data, pattern(400, 1000));
  EXPECT_EQ(c.to_server().chunk_times[1].packet, 5u);
  EXPECT_EQ(c.to_server().chunk_times[3].packet, 3u);
  EXPECT_EQ(c.facts.out_of_order, 2u);
  EXPECT_EQ(c.facts.retransmitted, 0u);
}

TEST(TcpConnection, DoesNotGiveUpAHoleWhenTheOtherSideSpeaks) {
  // Pipelining: replies to earlier calls come while a call's segment is on another way.
  auto x = joined();
  x.c(1200, 5050, 100).s(5050, 1100, 20).s(5070, 1100, 20).c(1100, 5050, 100);
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_THAT(c.events, ElementsAre("> 100", "< 50", "< 20", "< 20", "> 100", "> 100", "end"));
  EXPECT_EQ(c.facts.gap_bytes, 0u);
}

TEST(TcpConnection, TellsAnAcknowledgedHoleBeforeTheReplyThatAcknowledgesIt) {
  auto x = joined();
  x.c(1200, 5050, 100).s(5050, 1300, 20);
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events,
              ElementsAre("> 100", "< 50", "> gap 100", "> 100", "< 20", "end"));
  EXPECT_EQ(counts.gaps, 1u);
  EXPECT_EQ(counts.gap_bytes, 100u);
}

TEST(TcpConnection, TellsAGapForACallOfWhichNothingWasCaptured) {
  auto x = joined();
  x.s(5050, 1230, 20);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events,
              ElementsAre("> 100", "< 50", "> gap 130", "< 20", "end"));
}

TEST(TcpConnection, TellsAGapThatOnlyTheLastAcknowledgementShows) {
  auto x = joined();
  x.s(5050, 1230, 0);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "> gap 130", "end"));
}

TEST(TcpConnection, WaitsForBytesWhoseAcknowledgementWasCapturedFirst) {
  // Two queues of one card: the acknowledgement overtakes the data by some microseconds.
  auto x = joined();
  x.s(5050, 1200, 0);
  x.now = x.frames.back().at + nanos{5'000};
  x.c(1100, 5050, 100);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "> 100", "end"));
}

TEST(TcpConnection, DoesNotBelieveASingleAbsurdAcknowledgement) {
  auto x = joined();
  x.s(5050, 1100 + 500'000'000, 0).s(5050, 1100 + 500'000'000, 0).c(1100, 5050, 100);
  x.s(5050, 1200, 7);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "> 100", "< 7", "end"));
}

TEST(TcpConnection, FollowsAStreamThatJumpsFurtherThanAWindow) {
  auto x = joined();
  const u32 far = 1100 + 3'000'000'000u;
  for (u32 i = 0; i < 6; ++i)
    x.c(far + i * 10, 5050, 10);
  recorder to;

  const auto counts = play(x.frames, to);

  const auto& s = to.connections.at(0)->to_server();
  EXPECT_EQ(s.gap_bytes(), 3'000'000'030u);
  EXPECT_EQ(s.chunks, 4u);
  EXPECT_EQ(counts.segments_out_of_window, 3u);
}

TEST(TcpConnection, CountsRetransmissionsDuplicatesAndKeepAlivesApart) {
  auto x = joined();
  x.again();            // the same frame twice, 20 µs later: a mirror port
  x.c(1100, 5050, 100); // new
  x.c(1100, 5050, 100); // again, with another IP identification: a retransmission
  x.c(1150, 5050, 100); // half of it is new
  x.c(1249, 5050, 1);   // keep-alive with a byte
  x.c(1249, 5050, 0);   // and without
  x.again();            // that one twice
  x.wait(seconds(1)).c(1249, 5050, 1);
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_EQ(c.to_server().data, pattern(250, 1000));
  EXPECT_EQ(c.facts.duplicated, 2u);
  EXPECT_EQ(c.facts.retransmitted, 1u);
  EXPECT_EQ(c.facts.segments, 5u);
  EXPECT_EQ(c.facts.keep_alives, 3u);
}

TEST(TcpConnection, TellsReorderingFromWhatWasSentAgain) {
  auto x = joined();
  x.c(1200, 5050, 100).c(1100, 5050, 100);                         // 1 ms late: another way
  x.c(1400, 5050, 100).wait(milliseconds(250)).c(1300, 5050, 100); // after a timeout
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_EQ(c.facts.out_of_order, 1u);
  EXPECT_EQ(c.facts.late_fills, 1u);
  EXPECT_EQ(c.to_server().data, pattern(500, 1000));
}

TEST(TcpConnection, AddsUpTheTimeOfZeroWindows) {
  const tcp_fields closed{.window = 0};
  auto x = joined();
  x.s(5050, 1100, 0, flag::ack, closed);  // at +2 ms
  x.s(5050, 1100, 0, flag::ack, closed);  // +3: still
  x.c(1100, 5050, 10, flag::ack, closed); // +4: the other side too
  x.s(5050, 1110, 0);                     // +5: open again, the client is not
  x.c(1110, 5050, 10);                    // +6
  x.wait(seconds(1)).c(1120, 5050, 0, flag::ack, closed).wait(milliseconds(1)); // to the end
  x.s(5050, 1120, 0);
  recorder to;

  play(x.frames, to);

  EXPECT_EQ(to.connections.at(0)->facts.zero_window, milliseconds(4 + 2));
}

TEST(TcpConnection, GivesUpAHoleAfterAWhileWhenOnlyOneDirectionWasCaptured) {
  script x;
  x.c(1000, 5000, 100).c(1200, 5000, 100).wait(milliseconds(1900)).c(1300, 5000, 100);
  x.wait(milliseconds(200)).c(1400, 5000, 100);
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events,
              ElementsAre("> 100", "> gap 100", "> 100", "> 100", "> 100", "end"));
  EXPECT_EQ(counts.gaps_by_limit, 1u);
}

TEST(TcpConnection, TellsMssMtuScaleAndOptions) {
  script x;
  const tcp_fields from_client{.mss = u16{8960}, .window_scale = u8{7}, .sack_permitted = true};
  const tcp_fields from_server{.mss = u16{1460}, .window_scale = u8{9}, .sack_permitted = true};
  x.c(999, 0, 0, flag::syn, from_client).s(4999, 1000, 0, flag::syn | flag::ack, from_server);
  x.c(1000, 5000, 1460).s(5000, 2460, 8000);
  recorder to;

  play(x.frames, to);

  const auto& f = to.connections.at(0)->facts;
  EXPECT_TRUE(f.handshake_seen);
  EXPECT_EQ(f.mss_client, 8960u);
  EXPECT_EQ(f.mss_server, 1460u);
  EXPECT_EQ(f.mtu, 1500u);
  EXPECT_EQ(f.window_scale[0], 7);
  EXPECT_EQ(f.window_scale[1], 9);
  EXPECT_TRUE(f.sack_permitted);
  EXPECT_FALSE(f.timestamps);
  EXPECT_EQ(f.largest_segment, 8000u);
  EXPECT_FALSE(f.offload_seen) << "the client announced that it takes 8960";
  EXPECT_EQ(f.ttl_client, 64);
}

TEST(TcpConnection, SeesOffloadBySegmentsAboveTheMss) {
  script x;
  const tcp_fields syn{.mss = u16{1460}};
  x.c(999, 0, 0, flag::syn, syn).s(4999, 1000, 0, flag::syn | flag::ack, syn).c(1000, 5000, 4380);
  auto middle = joined();
  middle.c(1100, 5050, 4 * 1448).c(1100 + 4 * 1448, 5050, 2000);
  recorder a;
  recorder b;

  play(x.frames, a);
  play(middle.frames, b);

  EXPECT_TRUE(a.connections.at(0)->facts.offload_seen);
  EXPECT_TRUE(b.connections.at(0)->facts.offload_seen);
}

TEST(TcpConnection, TakesFramesWithoutAnIpLength) {
  script x;
  x.c(1000, 5000, 70'000, flag::ack, {.ip = {.total_length = u16{0}}}).c(71'000, 5000, 10);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 70000", "> 10", "end"));
  EXPECT_TRUE(to.connections[0]->facts.offload_seen);
}

} // namespace
