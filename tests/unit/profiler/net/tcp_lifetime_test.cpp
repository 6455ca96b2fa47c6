#include "tcp_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tcp_script;
using recorded::play;
using recorded::recorder;
using support::tcp_talk;
using testing::ElementsAre;
using testing::SizeIs;

TEST(TcpLifetime, EndsWhenBothSidesHaveFinished) {
  tcp_talk talk(client, server);
  talk.handshake().to_server(pattern(10)).to_client(pattern(20)).close();
  recorder to;

  const auto counts = play(talk.frames, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 10", "< 20", "end"));
  EXPECT_EQ(to.connections[0]->end_at.packet, 7u);
  EXPECT_FALSE(to.connections[0]->mid_stream);
  EXPECT_EQ(counts.segments_after_end, 1u);
}

TEST(TcpLifetime, TakesDataThatComeBehindAnEarlyFin) {
  auto x = joined();
  x.c(1200, 5050, 10, flag::ack | flag::fin).s(5050, 1100, 0, flag::ack | flag::fin);
  x.c(1100, 5051, 100);
  recorder to;

  play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "> 100", "> 10", "end"));
}

TEST(TcpLifetime, EndsWithAResetAndNotWithAForgedOne) {
  auto x = joined();
  x.s(5050 + 900'000'000, 0, 0, flag::rst).c(1100, 5050, 10).s(5050, 1110, 0, flag::rst);
  x.c(1110, 5050, 10);
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_THAT(to.connections.at(0)->events, ElementsAre("> 100", "< 50", "> 10", "end"));
  EXPECT_EQ(counts.segments_out_of_window, 1u);
  EXPECT_EQ(counts.segments_after_end, 1u);
}

TEST(TcpLifetime, StartsAnewWhenAPortIsUsedAgain) {
  tcp_talk first(client, server);
  first.handshake().to_server(pattern(10));
  tcp_talk second(client, server, {.client_isn = 77'000, .server_isn = 88'000});
  second.now = first.now + milliseconds(1);
  second.handshake().to_server(pattern(30)).close();
  tcp_talk third(client, server, {.client_isn = 177'000, .server_isn = 188'000});
  third.now = second.now + milliseconds(1);
  third.handshake().to_server(pattern(40));
  auto frames = first.frames;
  frames.insert(frames.end(), second.frames.begin(), second.frames.end());
  frames.insert(frames.end(), third.frames.begin(), third.frames.end());
  recorder to;

  play(frames, to);

  ASSERT_THAT(to.connections, SizeIs(3));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 10", "end"));
  EXPECT_THAT(to.connections[1]->events, ElementsAre("> 30", "end"));
  EXPECT_THAT(to.connections[2]->events, ElementsAre("> 40", "end"));
  EXPECT_FALSE(to.connections[2]->mid_stream);
}

TEST(TcpLifetime, StaysOneWhenItsSynIsSentAgain) {
  script x;
  x.c(999, 0, 0, flag::syn).c(999, 0, 0, flag::syn);
  x.s(4999, 1000, 0, flag::syn | flag::ack).c(1000, 5000, 100);
  recorder to;

  play(x.frames, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 100", "end"));
}

TEST(TcpLifetime, KnowsItsStartFromEitherSyn) {
  script only_syn;
  only_syn.c(999, 0, 0, flag::syn).c(1000, 5000, 100).s(5010, 1100, 40);
  script only_syn_ack;
  only_syn_ack.s(4999, 1000, 0, flag::syn | flag::ack).c(1010, 5000, 90).s(5000, 1100, 40);
  recorder a;
  recorder b;

  play(only_syn.frames, a);
  play(only_syn_ack.frames, b);

  // 10 bytes of the server's start are missing, and nobody has acknowledged them.
  EXPECT_THAT(a.connections.at(0)->events, ElementsAre("> 100", "< gap 10", "< 40", "end"));
  EXPECT_THAT(b.connections.at(0)->events, ElementsAre("> gap 10", "> 90", "< 40", "end"));
  EXPECT_EQ(b.connections[0]->key.client, client);
  EXPECT_FALSE(b.connections[0]->mid_stream);
}

TEST(TcpLifetime, NamesTheClientByItsPortWhenJoinedInTheMiddle) {
  const auto high = support::v4(198, 18, 0, 9, 50'000);
  const auto low = support::v4(198, 18, 0, 8, 3000);
  recorder to;

  play({{nanos{1}, support::ethernet(support::tcp(server, client, {}, pattern(9))), 0},
        {nanos{2}, support::ethernet(support::tcp(low, high, {}, pattern(9))), 0}},
       to);

  ASSERT_THAT(to.connections, SizeIs(2));
  EXPECT_EQ(to.connections[0]->key.client, client);
  EXPECT_EQ(to.connections[1]->key.client, high);
}

TEST(TcpLifetime, IsLeftAloneWhenNobodyWantsIt) {
  auto x = joined();
  recorder to;
  to.unwanted_port = 2049;

  const auto counts = play(x.frames, to);

  EXPECT_THAT(to.connections, SizeIs(0));
  EXPECT_EQ(counts.ignored_segments, 2u);
  EXPECT_EQ(counts.tcp_segments, 0u);
}

TEST(TcpLifetime, MakesRoomForNewerOnes) {
  profiler::net::limits l;
  l.connections = 10;
  std::vector<timed_frame> frames;
  for (u16 port = 700; port < 800; ++port) {
    const auto from = support::v4(198, 18, 0, 1, port);
    frames.push_back(
        {nanos{port}, support::ethernet(support::tcp(from, server, {.seq = 1}, pattern(9))), 0});
  }
  // The first is used all the time and stays.
  for (std::size_t i = 5; i < frames.size(); i += 5)
    frames.insert(
        frames.begin() + static_cast<std::ptrdiff_t>(i),
        {frames[i - 1].at,
         support::ethernet(support::tcp(support::v4(198, 18, 0, 1, 700), server,
                                        {.seq = static_cast<u32>(10 + i / 5 * 9 - 9)}, pattern(9))),
         0});
  recorder to;

  const auto counts = play(frames, to, l);

  EXPECT_EQ(counts.connections, 100u);
  EXPECT_EQ(counts.connections_evicted, 90u);
  for (const auto& c : to.connections)
    EXPECT_EQ(c->ends, 1);
  EXPECT_GT(to.connections[0]->to_server().chunks, 20u);
}

TEST(TcpLifetime, ExpiresWhenItWasSilentForLong) {
  auto x = joined();
  x.wait(std::chrono::hours(25)).c(1100, 5050, 10);
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_THAT(to.connections, SizeIs(1)) << "its own packet comes before the expiry";
  EXPECT_EQ(counts.connections_expired, 0u);

  auto other = joined();
  other.wait(std::chrono::hours(25));
  other.frames.push_back(
      {other.now,
       support::ethernet(support::tcp(support::v4(198, 18, 0, 3, 900), server, {}, pattern(9))),
       0});
  recorder again;
  EXPECT_EQ(play(other.frames, again).connections_expired, 1u);
  EXPECT_EQ(again.connections.at(0)->ends, 1);
}

} // namespace
