#include "rpc/error.hpp"
#include "tests/unit/rpc/core_harness.hpp"

#include <functional>

namespace {

using namespace rpc;
using namespace rpc::core_test;
using namespace std::chrono_literals;

TEST(ClientCore, SaysThatTheServerRefused) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns));
  ASSERT_TRUE(h.core.submit(request(2), 0ns));
  h.send_all();

  h.receive(hex("80000014"
                "00000011"
                "00000001"
                "00000001"
                "00000001"
                "00000005"));
  h.receive(hex("80000020"
                "00000012"
                "00000001"
                "00000000"
                "0000000000000000"
                "00000002"
                "00000003"
                "00000004"));

  ASSERT_EQ(h.events.size(), 2u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::refused);
  EXPECT_EQ(h.events[0].header.auth, auth_stat::too_weak);
  EXPECT_EQ(h.events[1].outcome, call_outcome::refused);
  EXPECT_EQ(h.events[1].header.high, 4u);
}

TEST(ClientCore, EndsACallWhoseReplyCannotBeDecoded) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns));
  h.send_all();

  h.receive(hex("8000000c"
                "00000011"
                "00000001"
                "00000000"));

  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::bad_reply);
  EXPECT_EQ(h.events[0].problem.code, wire::errc::truncated);
  EXPECT_EQ(h.core.counters().malformed, 1u);
  EXPECT_FALSE(h.core.failed());
}

TEST(ClientCore, NeverSendsWhatCannotBeEncoded) {
  harness h(numbered(0x11));
  auto r = request(1);
  r.encode = encode_fails;
  ASSERT_TRUE(h.core.submit(r, 0ns));
  ASSERT_TRUE(h.core.submit(request(2), 0ns));

  const auto sent = h.send_one();
  h.collect();

  EXPECT_EQ(wire::load_be<u32>(sent.data() + 4), 0x12u);
  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(user_of(h.events[0]), 1);
  EXPECT_EQ(h.events[0].outcome, call_outcome::bad_arguments);
}

TEST(ClientCore, TimesOutAndDropsTheLateReply) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1, 5s), 0ns));
  h.send_all();
  EXPECT_EQ(h.core.poll_timeout(), 5s);

  h.core.handle_timeout(5s - 1ns);
  h.collect();
  EXPECT_TRUE(h.events.empty());
  h.core.handle_timeout(5s);
  h.collect();
  h.receive(hex(reply_hex("00000011", "00000000")));

  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.events[0].outcome, call_outcome::timed_out);
  EXPECT_EQ(h.core.counters().timeouts, 1u);
  EXPECT_EQ(h.core.counters().late_replies, 1u);
  EXPECT_EQ(h.core.calls_in_flight(), 0u);
}

TEST(ClientCore, ForgetsAnAbandonedCallInTime) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1, 5s), 0ns));
  h.send_all();

  h.core.handle_timeout(5s);
  h.core.handle_timeout(10s);
  h.collect();

  EXPECT_EQ(h.events.size(), 1u);
  EXPECT_EQ(h.core.calls_in_flight(), 0u);
  EXPECT_EQ(h.core.poll_timeout(), std::nullopt);
}

TEST(ClientCore, AbandonedBeforeItIsSentIsNeverSent) {
  harness h(numbered(0x11));
  const auto xid = h.core.submit(request(1), 0ns);
  ASSERT_TRUE(xid);

  EXPECT_FALSE(h.core.abandon(*xid));

  EXPECT_TRUE(h.send_one().empty());
  EXPECT_EQ(h.core.calls_in_flight(), 0u);
}

TEST(ClientCore, AbandonedInTheMiddleAsksForACopyOfTheRest) {
  harness h(numbered(0x11));
  const auto xid = h.core.submit(request(1), 0ns);
  ASSERT_TRUE(xid && h.core.poll_transmit(0ns));

  EXPECT_TRUE(h.core.abandon(*xid));
  h.core.transmitted(*xid, 0ns, 0ns, 0ns);
  h.receive(hex(reply_hex("00000011", "00000000")));

  EXPECT_TRUE(h.events.empty());
  EXPECT_EQ(h.core.counters().late_replies, 1u);
}

TEST(ClientCore, TellsWhenACallEndsBeforeItWasSentWhole) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1, 5s), 0ns));
  ASSERT_TRUE(h.core.poll_transmit(0ns));

  h.core.handle_timeout(5s);
  h.collect();

  ASSERT_EQ(h.events.size(), 1u);
  EXPECT_TRUE(h.events[0].partly_sent);
}

TEST(ClientCore, CountsRepliesToNoCallOfOurs) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns)); // and not sent yet: it cannot be answered

  h.receive(hex(reply_hex("00000099", "00000000") + reply_hex("00000011", "00000000")));

  EXPECT_TRUE(h.events.empty());
  EXPECT_EQ(h.core.counters().unknown_replies, 2u);
  EXPECT_FALSE(h.core.failed());
}

TEST(ClientCore, FailsOnBytesThatAreNoRpc) {
  harness longer(numbered(1));
  longer.receive(octets(64, std::byte{0x7f})); // a fragment of 2 GiB
  EXPECT_TRUE(longer.core.failed());

  harness shorter(numbered(1));
  shorter.receive(hex("80000004"
                      "00000001"));
  EXPECT_TRUE(shorter.core.failed());
}

TEST(ClientCore, ShrugsOffACallFromTheServer) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns));
  h.send_all();

  h.receive(hex("80000008"
                "00000011"
                "00000000" +
                reply_hex("00000011", "00000007")));

  EXPECT_EQ(h.results, (std::vector<std::string>{"00000007"}));
}

TEST(ClientCore, HoldsAsManyCallsAsItWasTold) {
  auto options = numbered(0x11);
  options.calls_max = 2;
  harness h(options);
  const auto first = h.core.submit(request(1), 0ns);
  ASSERT_TRUE(first && h.core.submit(request(2), 0ns));
  h.send_all();
  EXPECT_FALSE(h.core.submit(request(3), 0ns));

  h.core.abandon(*first);
  EXPECT_TRUE(h.core.submit(request(3), 0ns));

  EXPECT_FALSE(h.core.submit(request(4), 0ns));
  h.send_all();
  h.receive(hex(reply_hex("00000011", "00000000"))); // forgotten to make room
  EXPECT_EQ(h.core.counters().unknown_replies, 1u);
}

TEST(ClientCore, AfterALostConnectionTakesNoCalls) {
  harness h(numbered(0x11));
  ASSERT_TRUE(h.core.submit(request(1), 0ns));
  h.send_all();
  ASSERT_TRUE(h.core.submit(request(2), 0ns));

  const auto reset = std::make_error_code(std::errc::connection_reset);
  h.core.connection_lost(reset, 9ms);
  h.collect();

  ASSERT_EQ(h.events.size(), 2u);
  for (const auto& e : h.events) {
    EXPECT_EQ(e.outcome, call_outcome::connection_lost);
    EXPECT_EQ(e.error, reset);
    EXPECT_FALSE(e.partly_sent);
  }
  EXPECT_FALSE(h.core.submit(request(3), 0ns));
  EXPECT_TRUE(h.send_one().empty());
}

/// Whatever fails and whenever, each call ends exactly once and nothing stays behind.
TEST(ClientCore, EndsEveryCallOnceWhateverFailsAtAnyStep) {
  using step = std::function<void(harness&)>;
  const auto submit = [](int user) {
    return [user](harness& h) { static_cast<void>(h.core.submit(request(user, 5s), 0ns)); };
  };
  const auto send = [](harness& h) { h.send_one(); };
  const auto reply = [](std::string xid) {
    return [xid](harness& h) { h.receive(hex(reply_hex(xid, "00000000"))); };
  };
  const std::vector<step> script{submit(1),         send, submit(2),         submit(3),        send,
                                 reply("00000012"), send, reply("00000011"), reply("00000013")};
  const std::vector<step> failures{
      [](harness& h) { h.core.connection_lost(make_error_code(errc::connection_lost), 1s); },
      [](harness& h) { h.core.handle_timeout(6s); },
      [](harness& h) { h.receive(octets(16, std::byte{0x7f})); },
      [](harness& h) {
        h.receive(hex("00000002"
                      "1122"));
      }, // half a record, then the end
  };
  for (std::size_t failure = 0; failure < failures.size(); ++failure) {
    for (std::size_t at = 0; at <= script.size(); ++at) {
      harness h(numbered(0x11));
      for (std::size_t i = 0; i < script.size(); ++i) {
        if (i == at) failures[failure](h);
        script[i](h);
      }
      h.core.connection_lost(make_error_code(errc::connection_lost), 7s);
      h.collect();
      EXPECT_EQ(h.events.size(), h.core.counters().calls) << failure << " at " << at;
      EXPECT_EQ(h.core.calls_in_flight(), 0u);
      std::vector<int> users;
      for (const auto& e : h.events)
        users.push_back(user_of(e));
      std::ranges::sort(users);
      EXPECT_EQ(std::ranges::adjacent_find(users), users.end()) << failure << " at " << at;
    }
  }
}

} // namespace
