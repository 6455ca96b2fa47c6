#include "tcp_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// What connections go through, and captures of them: each case says what must come out.
namespace {

using namespace tcp_script;
using recorded::play;
using recorded::recorder;
using support::byte_vector;
using testing::ElementsAre;
using testing::SizeIs;

/// A segment whose bytes are not what its sequence number stands for.
timed_frame lie(nanos at, u32 seq, std::size_t n, u16 id) {
  return {at,
          support::ethernet(support::tcp(
              client, server, {.seq = seq, .ack = 5050, .ip = {.id = id}}, byte_vector(n))),
          0};
}

TEST(TcpHardship, OfOverlapsTheFirstCopyCounts) {
  auto x = joined();
  x.c(1200, 5050, 100).c(1400, 5050, 100); // behind holes
  // Longer than the first hole: covers what is kept, and the second hole.
  x.frames.push_back(lie(x.now, 1100, 350, 900));
  x.now += milliseconds(1);
  x.c(1100, 5050, 150).c(1500, 5050, 20);
  recorder to;

  play(x.frames, to);

  auto want = pattern(520, 1000);
  std::fill_n(want.begin() + 100, 100, std::byte{0});
  std::fill_n(want.begin() + 300, 100, std::byte{0});
  const auto& s = to.connections.at(0)->to_server();
  EXPECT_EQ(s.data, want);
  EXPECT_EQ(s.gap_bytes(), 0u);
  // Each byte has the time of the segment that brought it first.
  EXPECT_EQ(s.chunk_times[1].packet, 5u);
  EXPECT_EQ(s.chunk_times[2].packet, 3u);
  EXPECT_EQ(s.chunk_times[3].packet, 5u);
  EXPECT_EQ(s.chunk_times[4].packet, 4u);
}

TEST(TcpHardship, OtherSegmentBoundariesOfARetransmissionDoNotMatter) {
  auto x = joined();
  x.c(1100, 5050, 100).c(1200, 5050, 100).c(1400, 5050, 100);
  x.c(1150, 5050, 300).c(1050, 5050, 50).c(1000, 5050, 500).c(1450, 5050, 150);
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_EQ(c.to_server().data, pattern(600, 1000));
  EXPECT_EQ(c.facts.retransmitted, 2u);
  EXPECT_EQ(c.facts.gap_bytes, 0u);
}

TEST(TcpHardship, HolesMayLieOverTheEndOfTheSequenceSpace) {
  const u32 start = 0xffff'ff00;
  script x;
  x.c(start, 5000, 200).s(5000, start + 200, 50);
  x.c(start + 300, 5050, 100); // wholly behind the wrap
  x.c(start + 210, 5050, 60);  // over it
  x.c(start + 200, 5050, 10).c(start + 270, 5050, 30);
  x.c(start + 500, 5050, 100).s(5050, start + 600, 10); // 100 bytes were never captured
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_THAT(c.events, ElementsAre("> 200", "< 50", "> 10", "> 60", "> 30", "> 100", "> gap 100",
                                    "> 100", "< 10", "end"));
}

TEST(TcpHardship, ZeroWindowProbesAndKeepAlivesAreNoData) {
  const tcp_fields closed{.window = 0};
  auto x = joined();
  x.s(5050, 1100, 0, flag::ack, closed);
  x.wait(milliseconds(300)).c(1099, 5050, 1).s(5050, 1100, 0, flag::ack, closed); // Windows
  x.wait(milliseconds(300)).c(1099, 5050, 0).s(5050, 1100, 0, flag::ack, closed); // Linux
  x.wait(milliseconds(300)).c(1100, 5050, 1).s(5050, 1100, 0, flag::ack, closed); // not taken
  x.wait(milliseconds(300)).s(5050, 1100, 0).c(1100, 5050, 100).s(5050, 1200, 9);
  recorder to;

  play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_EQ(c.to_server().data, pattern(200, 1000));
  EXPECT_EQ(c.facts.keep_alives, 2u);
  EXPECT_EQ(c.facts.gap_bytes, 0u);
  EXPECT_GT(c.facts.zero_window, milliseconds(1200));
}

TEST(TcpHardship, AHalfClosedConnectionStillTakesDataTheOtherWay) {
  support::tcp_talk talk(client, server);
  talk.handshake().to_server(pattern(10));
  auto frames = talk.frames;
  script x;
  x.now = talk.now + milliseconds(1);
  x.ip_id = 50;
  x.c(1011, 90001, 0, flag::ack | flag::fin); // the client has said all
  x.s(90001, 1012, 700).s(90701, 1012, 300).c(1012, 91001, 0);
  x.s(91001, 1012, 0, flag::ack | flag::fin).c(1012, 91002, 0);
  frames.insert(frames.end(), x.frames.begin(), x.frames.end());
  recorder to;

  const auto counts = play(frames, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 10", "< 700", "< 300", "end"));
  EXPECT_EQ(counts.gap_bytes, 0u);
}

TEST(TcpHardship, AResetMayCarryAReasonWhichIsNoData) {
  auto x = joined();
  x.s(5050, 1100, 12, flag::rst | flag::ack);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "end"));
}

TEST(TcpHardship, BothMayOpenAtOnce) {
  script x;
  x.c(999, 0, 0, flag::syn).s(4999, 0, 0, flag::syn);
  x.c(999, 5000, 0, flag::syn | flag::ack).s(4999, 1000, 0, flag::syn | flag::ack);
  x.c(1000, 5000, 100).s(5000, 1100, 50);
  recorder to;

  play(x.frames, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 100", "< 50", "end"));
  EXPECT_TRUE(to.connections[0]->facts.handshake_seen);
}

TEST(TcpHardship, ASynMayCarryData) {
  script x;
  x.c(999, 0, 80, flag::syn).s(4999, 1080, 0, flag::syn | flag::ack);
  x.s(5000, 1080, 30).c(1080, 5030, 20);
  script refused; // the server takes the SYN alone
  refused.c(999, 0, 80, flag::syn).s(4999, 1000, 0, flag::syn | flag::ack);
  refused.c(1000, 5000, 80).s(5000, 1080, 30);
  recorder a;
  recorder b;

  play(x.frames, a);
  play(refused.frames, b);

  EXPECT_THAT(a.connections.at(0)->events, ElementsAre("> 80", "< 30", "> 20", "end"));
  EXPECT_THAT(b.connections.at(0)->events, ElementsAre("> 80", "< 30", "end"));
  EXPECT_EQ(b.connections[0]->facts.retransmitted, 1u);
}

TEST(TcpHardship, ANewSynInTheOldWindowStartsAnotherConnection) {
  support::tcp_talk first(client, server);
  first.handshake().to_server(pattern(5000));
  support::tcp_talk second(client, server, {.client_isn = 3000, .server_isn = 90500});
  second.now = first.now + seconds(1);
  second.handshake().to_server(pattern(30));
  auto frames = first.frames;
  frames.insert(frames.end(), second.frames.begin(), second.frames.end());
  recorder to;

  play(frames, to);

  ASSERT_THAT(to.connections, SizeIs(2));
  EXPECT_EQ(to.connections[0]->to_server().data, pattern(5000));
  EXPECT_EQ(to.connections[1]->to_server().data, pattern(30));
}

TEST(TcpHardship, APortUsedAgainWithoutASynGoesOnAfterAFewSegments) {
  for (const u32 jump : {500'000'000u, 0u - 500'000'000u, 2'000'000'000u}) {
    auto x = joined();
    x.wait(seconds(10));
    u32 c = 1100 + jump;
    u32 s = 5050 + jump;
    for (int i = 0; i < 20; ++i, c += 100, s += 50)
      x.c(c, s, 100).s(s, c + 100, 50);
    recorder to;

    play(x.frames, to);

    u32 to_server = 0;
    u32 to_client = 0;
    for (const auto& connection : to.connections) {
      to_server += static_cast<u32>(connection->to_server().chunks);
      to_client += static_cast<u32>(connection->to_client().chunks);
    }
    EXPECT_GE(to_server, 1u + 16u) << jump;
    EXPECT_GE(to_client, 1u + 16u) << jump;
  }
}

TEST(TcpHardship, SnapLengthsInTheOptionsLoseOptionsAndNothingElse) {
  script x;
  const tcp_fields syn{.mss = u16{1460}, .window_scale = u8{7}, .timestamps = {{5, 0}}};
  x.c(999, 0, 0, flag::syn, syn).s(4999, 1000, 0, flag::syn | flag::ack, syn);
  x.c(1000, 5000, 100, flag::ack, {.timestamps = {{6, 5}}});
  x.s(5000, 1100, 50, flag::ack, {.timestamps = {{7, 6}}});
  recorder whole;
  play(x.frames, whole);
  for (std::size_t snap = 54; snap < 90; ++snap) {
    auto frames = x.frames;
    for (auto& f : frames) {
      f.wire_length = static_cast<u32>(f.data.size());
      f.data.resize(std::min(f.data.size(), snap));
    }
    recorder to;
    const auto counts = play(frames, to);
    EXPECT_EQ(to.connections.at(0)->events, whole.connections.at(0)->events) << snap;
    EXPECT_EQ(to.connections[0]->facts.rtt_min, whole.connections[0]->facts.rtt_min) << snap;
    EXPECT_EQ(counts.tcp_segments, 4u);
  }
}

TEST(TcpHardship, UrgentBytesAreBytes) {
  constexpr u8 urg = 0x20;
  auto x = joined();
  x.c(1100, 5050, 10, flag::ack | urg).c(1110, 5050, 10);
  recorder to;

  play(x.frames, to);

  EXPECT_EQ(to.connections.at(0)->to_server().data, pattern(120, 1000));
}

TEST(TcpHardship, ASideThatWasNotCapturedIsFollowedByAcknowledgements) {
  script x;
  x.c(1000, 5000, 100).c(1100, 5200, 100).c(1200, 5200, 100).wait(milliseconds(5));
  x.c(1300, 5900, 0).wait(milliseconds(5)).c(1300, 6000, 50);
  recorder to;

  const auto counts = play(x.frames, to);

  const auto& c = *to.connections.at(0);
  EXPECT_THAT(c.events,
              ElementsAre("> 100", "< gap 200", "> 100", "> 100", "< gap 800", "> 50", "end"));
  EXPECT_EQ(c.facts.unseen, profiler::net::unseen_side::server);
  EXPECT_EQ(c.facts.gap_bytes, 1000u);
  EXPECT_EQ(counts.connections_one_direction, 1u);
}

TEST(TcpHardship, AFirstSegmentCorrectsWhatAcknowledgementsSaidOfTheStart) {
  // Joined while bytes are on their way: the first acknowledgement is of earlier ones.
  script x;
  x.c(1000, 4000, 100).s(5000, 1100, 50).s(5050, 1100, 50).c(1100, 5100, 10);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "< 50", "> 10", "end"));
}

} // namespace
