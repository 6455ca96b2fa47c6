#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/smb2_messages.hpp"

#include <algorithm>
#include <gtest/gtest.h>

/// Captures that show one direction only: a mirror port that was set so, or ways that differ.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::pattern;
using support::tcp_talk;
using support::timed_frame;
using support::v4;
using wire::nanos;
using wire::u32;

const auto client = v4(198, 18, 1, 1, 741);
const auto server = v4(198, 18, 1, 2, 2049);

/// Frames that `from` sent.
std::vector<timed_frame> sent_by(const std::vector<timed_frame>& frames,
                                 const support::endpoint& from) {
  std::vector<timed_frame> out;
  for (const auto& f : frames)
    if (std::equal(f.data.begin() + 26, f.data.begin() + 30, support::address_bytes(from).begin()))
      out.push_back(f);
  return out;
}

/// `n` READs of 8 KiB one after the other: 500 µs each, an acknowledgement, 300 µs until the next.
std::vector<timed_frame> reads(u32 n, bool handshake) {
  tcp_talk talk(client, server);
  if (handshake) talk.handshake();
  for (u32 i = 0; i < n; ++i) {
    talk.to_server(support::read_call(100 + i, 3, i * 8192, 8192)).wait(500us);
    talk.to_client(support::read_reply(100 + i, pattern(8192))).wait(2us).ack_by_client();
    talk.wait(300us);
  }
  return talk.frames;
}

TEST(OneDirection, OfTheClientGivesEveryCallItsLatestReplyTime) {
  for (const bool handshake : {true, false}) {
    const auto got = analyse(sent_by(reads(20, handshake), client));

    const auto& seen = got.result.seen;
    EXPECT_EQ(seen.calls, 20u);
    EXPECT_EQ(seen.by_elimination, 20u);
    EXPECT_EQ(seen.unanswered, 0u);
    ASSERT_EQ(got.exchanges.size(), 20u);
    for (const auto& e : got.exchanges) {
      EXPECT_TRUE(e.by_elimination);
      EXPECT_EQ(e.t.r1 - e.t.q1, 502us);
      EXPECT_FALSE(wire::known(e.t.r0));
    }
    ASSERT_EQ(got.result.connections.size(), 1u);
    EXPECT_EQ(got.result.connections[0].tcp().unseen, profiler::net::unseen_side::server);
    EXPECT_EQ(got.result.network.connections_one_direction, 1u);
  }
}

TEST(OneDirection, OfTheClientDoesNotGuessBetweenCallsAtOnce) {
  tcp_talk talk(client, server);
  talk.handshake();
  for (u32 i = 0; i < 5; ++i) {
    talk.to_server(support::read_call(100 + 2 * i, 3, 0, 512));
    talk.to_server(support::read_call(101 + 2 * i, 3, 0, 512)).wait(500us);
    talk.to_client(support::read_reply(100 + 2 * i, pattern(512)));
    talk.to_client(support::read_reply(101 + 2 * i, pattern(512))).wait(10us).ack_by_client();
  }
  const auto got = analyse(sent_by(talk.frames, client));

  EXPECT_EQ(got.result.seen.calls, 10u);
  EXPECT_EQ(got.result.seen.by_elimination, 0u);
  EXPECT_EQ(got.result.seen.unanswered, 10u);
}

TEST(OneDirection, OfTheServerCountsRepliesAndSaysWhy) {
  for (const bool handshake : {true, false}) {
    const auto got = analyse(sent_by(reads(20, handshake), server));

    EXPECT_EQ(got.result.seen.calls, 0u);
    EXPECT_EQ(got.result.seen.orphan_replies, 20u);
    ASSERT_EQ(got.result.connections.size(), 1u);
    EXPECT_EQ(got.result.connections[0].tcp().unseen, profiler::net::unseen_side::client);
    EXPECT_EQ(got.result.network.connections_one_direction, 1u);
  }
}

TEST(OneDirection, IsNotSaidOfACaptureWithBoth) {
  const auto got = analyse(reads(5, false));

  EXPECT_EQ(got.result.seen.timed, 5u);
  EXPECT_EQ(got.result.connections.at(0).tcp().unseen, profiler::net::unseen_side::none);
  EXPECT_EQ(got.result.network.connections_one_direction, 0u);
  EXPECT_EQ(got.result.network.gaps, 0u);
}

TEST(Rdma, OverTcpIsCountedAndNotReadAsSomethingElse) {
  const auto direct = v4(198, 18, 1, 2, 5445);
  const auto other = v4(198, 18, 1, 2, 7777);
  std::vector<timed_frame> frames;
  auto start = support::byte_vector(20);
  std::copy_n(wire::as_bytes(std::string_view("MPA ID Req Frame")).begin(), 16, start.begin());
  for (const auto& to : {direct, other}) {
    tcp_talk talk(client, to);
    talk.handshake().to_server(start).to_client(pattern(20)).to_server(pattern(1000));
    frames.insert(frames.end(), talk.frames.begin(), talk.frames.end());
  }
  tcp_talk no_rdma(v4(198, 18, 1, 1, 742), direct);
  no_rdma.handshake().to_server(pattern(100));
  frames.insert(frames.end(), no_rdma.frames.begin(), no_rdma.frames.end());

  const auto got = analyse(frames);

  EXPECT_EQ(got.result.seen.rdma_connections, 2u);
  EXPECT_EQ(got.result.seen.rdma_bytes, 2 * 1040u);
}

} // namespace
