#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

/// Calls that are repeated on another connection, and why calls and replies are left over.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::getattr_call;
using support::getattr_reply;
using support::tcp_talk;
using support::timed_frame;
using support::v4;
using wire::nanos;

const auto server = v4(198, 18, 1, 2, 2049);

tcp_talk talk_from(wire::u16 port, nanos start, wire::u32 isn = 1000) {
  tcp_talk talk(v4(198, 18, 1, 1, port), server, {.client_isn = isn});
  talk.now = start;
  talk.handshake();
  return talk;
}

std::vector<timed_frame> merged(std::vector<std::vector<timed_frame>> parts) {
  std::vector<timed_frame> out;
  for (auto& p : parts)
    std::move(p.begin(), p.end(), std::back_inserter(out));
  std::stable_sort(out.begin(), out.end(),
                   [](const timed_frame& a, const timed_frame& b) { return a.at < b.at; });
  return out;
}

const nanos start{1'700'000'000'000'000'000};

/// profiler facts: the call is sent, 60 s pass, a new connection repeats it and is answered at
/// once.
class AcrossConnections : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(AcrossConnections, ARepeatedCallIsOneRequestWithTwoAttempts) {
  const auto [same_port, closed] = GetParam();
  auto before = talk_from(741, start);
  const auto asked = before.now;
  before.to_server(getattr_call(0x64, 3));
  if (closed) before.wait(1ms).close();
  auto after = talk_from(same_port ? 741 : 742, asked + 60s - 100us, 777'000);
  after.to_server(getattr_call(0x64, 3)).wait(400us).to_client(getattr_reply(0x64));
  after.wait(1ms).to_server(getattr_call(0x65, 3)).wait(400us).to_client(getattr_reply(0x65));

  const auto got = analyse(merged({before.frames, after.frames}));

  ASSERT_EQ(got.exchanges.size(), 2u);
  const auto& e = got.exchanges[0];
  EXPECT_EQ(e.id, 0x64u);
  EXPECT_EQ(e.attempts, 2);
  EXPECT_EQ(e.latency(), nanos{60s + 400us});
  EXPECT_EQ(e.t.r1 - e.t.resent, nanos{400us});
  const auto& seen = got.result.seen;
  EXPECT_EQ(seen.calls, 2u);
  EXPECT_EQ(seen.answered, 2u);
  EXPECT_EQ(seen.unanswered, 0u);
  EXPECT_EQ(seen.moved_calls, 1u);
  EXPECT_EQ(seen.retransmitted, 1u);
  const auto* row = got.result.operations.find({wire::protocol::nfs3, 1});
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->retried, 1u);
  EXPECT_EQ(row->retry_wait, e.t.resent - asked);
  EXPECT_EQ(got.result.connections.at(0).seen.calls, 0u);
  EXPECT_EQ(got.result.connections.at(1).seen.calls, 2u);
}

INSTANTIATE_TEST_SUITE_P(Ports, AcrossConnections,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST(Retries, FollowsACallOverThreeConnections) {
  auto one = talk_from(741, start);
  one.to_server(getattr_call(7, 3)).wait(1ms).close();
  auto two = talk_from(742, start + 30s);
  two.to_server(getattr_call(7, 3)).wait(1ms).close();
  auto three = talk_from(743, start + 60s);
  three.to_server(getattr_call(7, 3)).wait(1ms).to_client(getattr_reply(7));

  const auto got = analyse(merged({one.frames, two.frames, three.frames}));

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].attempts, 3);
  EXPECT_EQ(got.exchanges[0].t.r1 - one.frames[3].at, got.exchanges[0].latency());
  EXPECT_EQ(got.result.seen.moved_calls, 2u);
}

TEST(Retries, DoesNotJoinCallsThatAskForSomethingElse) {
  auto one = talk_from(741, start);
  one.to_server(getattr_call(7, 3)).wait(1ms).close();
  auto two = talk_from(742, start + 30s);
  two.to_server(getattr_call(7, 4)).wait(1ms).to_client(getattr_reply(7));

  const auto got = analyse(merged({one.frames, two.frames}));

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.result.seen.moved_calls, 0u);
  EXPECT_EQ(got.result.seen.unanswered, 1u);
  EXPECT_EQ(got.result.seen.unanswered_at_end, 1u);
}

TEST(Retries, DoesNotJoinMountsThatUseTheSameXidAtOnce) {
  auto one = talk_from(741, start);
  auto two = talk_from(742, start + 10us);
  one.to_server(getattr_call(7, 3)).wait(2ms).to_client(getattr_reply(7));
  two.to_server(getattr_call(7, 3)).wait(2ms).to_client(getattr_reply(7));

  const auto got = analyse(merged({one.frames, two.frames}));

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.exchanges[0].attempts, 1);
  EXPECT_EQ(got.result.seen.moved_calls, 0u);
  EXPECT_EQ(got.result.seen.timed, 2u);
}

TEST(Retries, ALateReplyOnTheOldConnectionIsADuplicate) {
  auto one = talk_from(741, start);
  one.to_server(getattr_call(7, 3));
  auto two = talk_from(742, start + 30s);
  two.to_server(getattr_call(7, 3)).wait(1ms).to_client(getattr_reply(7));
  one.wait(31s).to_client(getattr_reply(7));

  const auto got = analyse(merged({one.frames, two.frames}));

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.result.seen.duplicate_replies, 1u);
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
}

TEST(Retries, FollowsDatagramsToAnotherPort) {
  const auto call = support::call_message<nfs::v3::getattr>(9, {.object = support::handle(3)});
  const auto reply = support::reply_message<nfs::v3::getattr>(9, {});
  const auto from = [](wire::u16 port) { return v4(198, 18, 1, 1, port); };
  std::vector<timed_frame> frames;
  frames.push_back({start, support::ethernet(support::udp(from(800), server, call))});
  frames.push_back({start + 1100ms, support::ethernet(support::udp(from(801), server, call))});
  frames.push_back({start + 1101ms, support::ethernet(support::udp(server, from(801), reply))});

  const auto got = analyse(frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].attempts, 2);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{1101ms});
}

TEST(Retries, GivesUpWhatNobodyRepeats) {
  auto one = talk_from(741, start);
  for (wire::u32 xid = 0; xid < 10; ++xid)
    one.to_server(getattr_call(xid, 3));
  one.wait(1ms).close();
  // Long after that a call with one of the xids is another one.
  auto two = talk_from(742, start + 300s);
  two.to_server(getattr_call(3, 3)).wait(1ms).to_client(getattr_reply(3));

  const auto got = analyse(merged({one.frames, two.frames}));

  EXPECT_EQ(got.exchanges.size(), 11u);
  EXPECT_EQ(got.result.seen.unanswered, 10u);
  EXPECT_EQ(got.result.seen.moved_calls, 0u);
  EXPECT_EQ(got.result.connections.at(0).seen.unanswered, 10u);
}

/// Only what comes from that port.
std::vector<timed_frame> one_way(std::vector<timed_frame> frames, wire::u16 port) {
  constexpr std::size_t source_port = 14 + 20;
  std::erase_if(frames, [port](const timed_frame& f) {
    return wire::load_be<wire::u16>(f.data.data() + source_port) != port;
  });
  return frames;
}

TEST(Losses, SayThatOneDirectionIsMissing) {
  auto talk = talk_from(741, start);
  for (wire::u32 xid = 0; xid < 5; ++xid)
    talk.wait(1ms).to_server(getattr_call(xid, 3));
  const auto calls = analyse(one_way(talk.frames, 741)).result.seen;
  EXPECT_EQ(calls.unanswered, 5u);
  EXPECT_EQ(calls.unanswered_one_way, 5u);

  auto other = talk_from(741, start);
  for (wire::u32 xid = 0; xid < 5; ++xid)
    other.wait(1ms).to_client(getattr_reply(xid));
  const auto replies = analyse(one_way(other.frames, 2049)).result.seen;
  EXPECT_EQ(replies.orphan_replies, 5u);
  EXPECT_EQ(replies.orphans_one_way, 5u);
}

TEST(Losses, SayThatACallCameBeforeTheCapture) {
  auto talk = talk_from(741, start);
  talk.to_server(getattr_call(1, 3)).to_server(getattr_call(2, 3));
  const auto joined = talk.frames.size();
  talk.wait(1ms).to_client(getattr_reply(1)).to_client(getattr_reply(2));
  talk.wait(1ms).to_server(getattr_call(3, 3)).wait(1ms).to_client(getattr_reply(3));
  talk.frames.erase(talk.frames.begin(), talk.frames.begin() + static_cast<std::ptrdiff_t>(joined));
  // Its first reply is searched for: a call must have been seen for the second to be one.
  const auto seen = analyse(talk.frames).result.seen;
  EXPECT_EQ(seen.timed, 1u);
  EXPECT_EQ(seen.orphan_replies, 2u);
  EXPECT_EQ(seen.orphans_before_start, 2u);
}

TEST(Losses, SayThatNoReplyCameInTime) {
  auto talk = talk_from(741, start);
  talk.to_server(getattr_call(1, 3)).wait(130s);
  talk.to_server(getattr_call(2, 3)).wait(1ms).to_client(getattr_reply(2));
  talk.wait(1ms).to_server(getattr_call(3, 3));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.unanswered, 2u);
  EXPECT_EQ(seen.unanswered_expired, 1u);
  EXPECT_EQ(seen.unanswered_at_end, 1u);
}

} // namespace
