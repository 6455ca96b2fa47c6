#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"

#include <algorithm>
#include <gtest/gtest.h>

/// Captures that lack something: what is still there must be timed, and the rest counted.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::pattern;
using support::tcp_talk;
using support::timed_frame;
using support::v4;
using wire::nanos;

const auto client = v4(198, 18, 1, 1, 741);
const auto server = v4(198, 18, 1, 2, 2049);

/// `rounds` of `depth` READs of 8 KiB, pipelined. `data_frames` are those of the replies.
struct reads {
  std::vector<timed_frame> frames;
  std::vector<std::size_t> data_frames;
};

reads pipelined_reads(wire::u32 rounds, wire::u32 depth, nanos between = 10us) {
  tcp_talk talk(client, server, {.gap_between = between});
  talk.handshake();
  std::vector<std::size_t> data_frames;
  wire::u32 xid = 100;
  for (wire::u32 round = 0; round < rounds; ++round) {
    talk.wait(300us);
    for (wire::u32 i = 0; i < depth; ++i)
      talk.to_server(support::read_call(xid + i, 3, i * 8192, 8192));
    talk.wait(500us);
    for (wire::u32 i = 0; i < depth; ++i) {
      const auto first = talk.frames.size();
      talk.to_client(support::read_reply(xid + i, pattern(8192))).wait(between);
      for (auto n = first; n < talk.frames.size(); ++n)
        data_frames.push_back(n);
    }
    talk.ack_by_client();
    xid += depth;
  }
  return {talk.frames, data_frames};
}

std::vector<timed_frame> without(std::vector<timed_frame> frames, std::vector<std::size_t> lost) {
  std::sort(lost.rbegin(), lost.rend());
  for (const auto n : lost)
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(n));
  return frames;
}

TEST(RpcDamage, LosesOnlyTheDamagedRepliesWhenARecordBoundaryIsMissing) {
  const auto all = pipelined_reads(20, 8);
  // The last segment of one reply and the first of the next, in two of the rounds.
  std::vector<std::size_t> lost;
  for (const std::size_t round : {3u, 11u}) {
    lost.push_back(all.data_frames[round * 48 + 3 * 6 - 1]);
    lost.push_back(all.data_frames[round * 48 + 3 * 6]);
  }

  const auto got = analyse(without(all.frames, lost));

  EXPECT_EQ(got.result.seen.calls, 160u);
  EXPECT_EQ(got.result.seen.timed, 156u);
  EXPECT_EQ(got.result.seen.bounded, 2u) << "replies whose end is missing";
  EXPECT_EQ(got.result.seen.by_elimination, 2u) << "replies whose start is missing";
  EXPECT_EQ(got.result.seen.unanswered, 0u);
  const auto whole = analyse(all.frames);
  for (const auto& e : got.exchanges) {
    const auto same = std::find_if(whole.exchanges.begin(), whole.exchanges.end(),
                                   [&](const auto& w) { return w.id == e.id; });
    ASSERT_NE(same, whole.exchanges.end());
    if (!e.by_elimination && !e.bounded()) {
      EXPECT_EQ(e.t.r1, same->t.r1) << e.id;
    }
    if (e.by_elimination) {
      EXPECT_FALSE(wire::known(e.t.r0));
      EXPECT_GE(e.t.r1, same->t.r0);
      EXPECT_LE(e.t.r1, same->t.r1);
    }
  }
}

TEST(RpcDamage, NamesNothingWhenTwoRepliesMayHaveBeenLost) {
  const auto all = pipelined_reads(6, 8);
  std::vector<std::size_t> lost; // one reply whole, and the start of the next
  for (std::size_t i = 0; i < 7; ++i)
    lost.push_back(all.data_frames[48 + 2 * 6 + i]);

  const auto seen = analyse(without(all.frames, lost)).result.seen;

  EXPECT_EQ(seen.timed, 46u);
  EXPECT_EQ(seen.by_elimination, 0u);
  EXPECT_EQ(seen.unanswered, 2u);
}

TEST(RpcDamage, CountsTheReplyToACallFromBeforeTheCapture) {
  const auto all = pipelined_reads(3, 1);
  const auto start = all.data_frames[0];
  const std::vector<timed_frame> frames(all.frames.begin() + static_cast<std::ptrdiff_t>(start),
                                        all.frames.end());

  const auto seen = analyse(frames).result.seen;

  EXPECT_EQ(seen.timed, 2u);
  EXPECT_EQ(seen.orphan_replies, 1u);
}

TEST(RpcDamage, DoesNotTakeReplyDataForARecordAfterAGap) {
  // File data that looks like calls and replies at every offset.
  tcp_talk talk(client, server);
  talk.handshake();
  std::vector<std::byte> trap;
  while (trap.size() < 60'000) {
    for (const auto& piece : {support::getattr_call(7, 3), support::getattr_reply(9999)})
      trap.insert(trap.end(), piece.begin(), piece.end());
    trap.push_back(std::byte{0});
  }
  talk.to_server(support::read_call(1, 3, 0, 60'000)).wait(1ms);
  const auto first = talk.frames.size();
  talk.to_client(support::read_reply(1, trap)).wait(1ms);
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  const auto got = analyse(without(talk.frames, {first + 5, first + 11}));

  EXPECT_EQ(got.result.seen.timed, 2u) << "the record's length leads over the gaps";
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
  EXPECT_EQ(got.result.seen.lost_steps, 0u);
}

TEST(RpcDamage, SeesOneDirectionOnlyAsCallsWithoutReply) {
  const auto all = pipelined_reads(5, 2);
  std::vector<std::size_t> lost = all.data_frames;

  const auto seen = analyse(without(all.frames, lost)).result.seen;

  EXPECT_EQ(seen.calls, 10u);
  EXPECT_EQ(seen.unanswered, 10u);
  EXPECT_EQ(seen.timed, 0u);
}

TEST(RpcDamage, RefusesWhatIsNoRpcAndGoesOn) {
  tcp_talk talk(client, server);
  talk.handshake();
  talk.to_server(support::as_record(pattern(300))).wait(1ms); // a record of noise
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.malformed, 1u);
  EXPECT_EQ(seen.timed, 1u);
}

TEST(RpcDamage, FindsTheCallsAgainBehindBytesThatAreNoRecord) {
  tcp_talk talk(client, server);
  talk.handshake();
  std::vector<std::byte> noise(333, std::byte{0x7f});
  talk.to_server(noise).wait(1ms);
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.lost_steps, 1u);
  EXPECT_EQ(seen.timed, 1u);
}

} // namespace
