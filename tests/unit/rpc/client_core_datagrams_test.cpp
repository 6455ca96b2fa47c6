#include "rpc/error.hpp"
#include "tests/support/fake_gss.hpp"
#include "tests/unit/rpc/core_harness.hpp"

/// Calls in datagrams: sent again until the reply comes, in a time that the server's own times
/// give.
namespace {

using namespace rpc;
using namespace rpc::core_test;
using namespace std::chrono_literals;

client_options in_datagrams() {
  auto out = numbered(0x11);
  out.datagrams.emplace();
  return out;
}

octets reply_to(u32 xid) {
  wire::writer out;
  reply_header header;
  header.xid = xid;
  static_cast<void>(encode(header, out));
  out.be(u32{42});
  return out.flatten();
}

struct CoreDatagrams : testing::Test {
  harness h{in_datagrams()};

  u32 submit(int user, nanos now = 0ns, nanos deadline = 100s) {
    const auto xid = h.core.submit(request(user, deadline), now);
    EXPECT_TRUE(xid);
    return xid.value_or(0);
  }
};

TEST_F(CoreDatagrams, BearNoRecordMark) {
  submit(1);

  const auto sent = h.send_one();

  EXPECT_EQ(sent.size(), 44u);
  EXPECT_EQ(wire::load_be<u32>(sent.data()), 0x11u);
}

TEST_F(CoreDatagrams, TakesRepliesInAnyOrder) {
  const auto first = submit(1);
  const auto second = submit(2);
  h.send_all();

  h.receive(reply_to(second));
  h.receive(reply_to(first));

  ASSERT_EQ(h.events.size(), 2u);
  EXPECT_EQ(user_of(h.events[0]), 2);
  EXPECT_EQ(h.results[1], "0000002a");
}

TEST_F(CoreDatagrams, AreSentAgainWithTheSameXidAndLaterEachTime) {
  const auto xid = submit(1);
  const auto first = h.send_one(0ns);
  nanos now{};
  nanos before{};
  for (u32 times = 1; times <= 4; ++times) {
    const auto due = h.core.poll_timeout();
    ASSERT_TRUE(due);
    EXPECT_GE(*due - now, before * 2 - 1us) << times;
    before = *due - now;
    h.core.handle_timeout(*due - 1ns);
    EXPECT_TRUE(h.send_one(*due).empty());
    now = *due;
    h.core.handle_timeout(now);
    EXPECT_EQ(h.send_one(now), first);
    EXPECT_EQ(h.core.counters().retransmissions, times);
  }

  h.receive(reply_to(xid), now);

  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(h.events[0].times.q0, 0ns); // of the first time: what was lost is part of the wait
}

TEST_F(CoreDatagrams, TakesTheReplyThatComesWhileTheCallWaitsToBeSentAgain) {
  const auto xid = submit(1);
  h.send_one(0ns);
  h.core.handle_timeout(2s);

  h.receive(reply_to(xid), 2s);

  EXPECT_EQ(h.events.size(), 1u);
  EXPECT_TRUE(h.send_one(2s).empty());
  EXPECT_EQ(h.core.calls_in_flight(), 0u);
}

TEST_F(CoreDatagrams, CountsDuplicatesAndStrangers) {
  const auto xid = submit(1);
  h.send_one();
  h.receive(reply_to(xid));

  h.receive(reply_to(xid));
  h.receive(reply_to(xid + 77));
  h.receive({std::byte{1}, std::byte{2}});

  EXPECT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.core.counters().duplicate_replies, 1u);
  EXPECT_EQ(h.core.counters().unknown_replies, 1u);
  EXPECT_EQ(h.core.counters().malformed, 1u);
  EXPECT_FALSE(h.core.failed());
}

TEST_F(CoreDatagrams, EndsACallWhoseTimeIsOver) {
  submit(1, 0ns, 3s);
  h.send_one(0ns);
  for (int i = 0; i < 10 && h.events.empty(); ++i) {
    const auto due = h.core.poll_timeout();
    ASSERT_TRUE(due);
    h.core.handle_timeout(*due);
    static_cast<void>(h.send_one(*due));
    h.collect();
  }

  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::timed_out);
}

TEST_F(CoreDatagrams, LearnsFromTheServerHowLongToWait) {
  for (int i = 0; i < 20; ++i) {
    const auto now = std::chrono::seconds(i);
    const auto xid = submit(i, now);
    h.send_one(now);
    h.receive(reply_to(xid), now + 1ms);
  }
  submit(1, 30s);
  h.send_one(30s);
  h.core.handle_timeout(30s); // forgets the times at which calls that are over were due

  const auto due = h.core.poll_timeout();

  ASSERT_TRUE(due);
  EXPECT_NEAR(static_cast<double>((*due - 30s).count()), 100e6, 1e6); // the least that there is
}

/// Nobody knows which of the two was answered.
TEST_F(CoreDatagrams, LearnsNothingFromACallThatWasSentTwice) {
  const auto xid = submit(1);
  h.send_one(0ns);
  h.core.handle_timeout(2s);
  h.send_one(2s);
  h.receive(reply_to(xid), 2s + 1ms);

  submit(2, 10s);
  h.send_one(10s);
  h.core.handle_timeout(10s);

  EXPECT_EQ(h.core.poll_timeout(), 10s + 1us + retransmission_timer::first); // sending takes 1 µs
}

TEST(RetransmissionTimer, FollowsRfc6298) {
  retransmission_timer timer;
  EXPECT_EQ(timer.timeout(1), 1100ms);
  EXPECT_EQ(timer.timeout(2), 2200ms);
  EXPECT_EQ(timer.timeout(1000), 60s);

  timer.sample(200ms); // srtt 200, rttvar 100
  EXPECT_EQ(timer.timeout(1), 600ms);
  timer.sample(280ms); // rttvar 3/4·100 + 1/4·80 = 95, srtt 210
  EXPECT_EQ(timer.timeout(1), 590ms);
}

TEST(CoreDatagramSizes, CountsWhatIsLongerThanTheMtuAndRefusesWhatIsTooLong) {
  auto options = in_datagrams();
  options.datagrams->unfragmented_bytes_max = 1472;
  harness h(options);
  const octets room(70'000);
  const auto send = [&](std::size_t n) {
    const auto data = bytes(room).first(n);
    auto r = request(1);
    r.args = &data;
    r.encode = encode_payload;
    EXPECT_TRUE(h.core.submit(r, 0ns));
    return h.send_one().size();
  };

  EXPECT_EQ(send(1432), 1472u);
  EXPECT_EQ(h.core.counters().fragmented_datagrams, 0u);
  EXPECT_EQ(send(1433), 1473u);
  EXPECT_EQ(h.core.counters().fragmented_datagrams, 1u);
  EXPECT_EQ(send(65'507 - 40), 65'507u);
  EXPECT_EQ(send(65'507 - 39), 0u);
  h.collect();
  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::bad_arguments);
}

/// The reply may be to any of the sequence numbers under which the call was sent.
TEST(CoreDatagramGss, BelievesTheReplyToAnEarlierTry) {
  for (const auto service : {gss_service::none, gss_service::integrity, gss_service::privacy}) {
    support::toy_realm realm;
    support::toy_gss_server server;
    auto options = in_datagrams();
    options.gss = gss_options{service, support::toy_source(realm), gss_sequence_max};
    harness h(options);
    const auto next = [&](nanos now) {
      const auto sent = h.send_one(now);
      EXPECT_FALSE(sent.empty());
      return support::toy_gss_server::read(sent);
    };
    const auto answer = [&](const support::toy_gss_server::call& c, nanos now) {
      auto reply = server.answer(c, hex("0000002a"));
      reply.erase(reply.begin(), reply.begin() + 4); // no mark
      h.receive(reply, now);
    };
    ASSERT_TRUE(h.core.submit(request(1, 100s), 0ns));
    answer(next(0ns), 1ms);
    const auto first = next(1ms);
    h.core.handle_timeout(2s);
    const auto second = next(2s);
    EXPECT_EQ(second.header.xid, first.header.xid);
    EXPECT_GT(second.credential.seq_num, first.credential.seq_num);

    answer(first, 2s);

    ASSERT_EQ(h.events.size(), 1u);
    EXPECT_EQ(h.events[0].outcome, call_outcome::replied);
    EXPECT_EQ(h.results[0], "0000002a");
  }
}

TEST(CoreDatagramGss, BeginsAnewWhenATokenIsLost) {
  support::toy_realm realm;
  auto options = in_datagrams();
  options.gss = gss_options{gss_service::none, support::toy_source(realm), gss_sequence_max};
  harness h(options);
  ASSERT_TRUE(h.core.submit(request(1, 100s), 0ns));
  const auto lost = h.send_one(0ns);
  ASSERT_FALSE(lost.empty());

  const auto due = h.core.poll_timeout();
  ASSERT_EQ(due, 1100ms);
  h.core.handle_timeout(*due);
  const auto again = h.send_one(*due);

  ASSERT_FALSE(again.empty());
  EXPECT_NE(wire::load_be<u32>(again.data()), wire::load_be<u32>(lost.data()));
  EXPECT_EQ(realm.made, 2);
  EXPECT_EQ(h.core.counters().retransmissions, 1u);
}

} // namespace
