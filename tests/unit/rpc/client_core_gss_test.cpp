#include "rpc/error.hpp"
#include "tests/support/fake_gss.hpp"
#include "tests/unit/rpc/core_harness.hpp"

#include <gmock/gmock.h>

/// RPCSEC_GSS in the client core, against a server with a toy for a mechanism.
namespace {

using namespace rpc;
using namespace rpc::core_test;
using namespace std::chrono_literals;
using support::toy_gss_server;
using testing::HasSubstr;

client_options with_gss(support::toy_realm& realm, gss_service service,
                        u32 sequence_max = gss_sequence_max) {
  auto out = numbered(0x11);
  out.gss = gss_options{service, support::toy_source(realm), sequence_max};
  return out;
}

bytes unmarked(const octets& message) {
  return bytes(message).subspan(4);
}

/// `realm` and `server` are there before the core that is made of them.
struct gss_harness {
  explicit gss_harness(gss_service service, u32 sequence_max = gss_sequence_max)
      : h(with_gss(realm, service, sequence_max)) {}

  void submit(int user) { ASSERT_TRUE(h.core.submit(request(user), 0ns)); }

  /// What the core sends next; fails the test when that is nothing.
  toy_gss_server::call next() {
    sent = h.send_one();
    EXPECT_FALSE(sent.empty());
    if (sent.empty()) return {};
    return toy_gss_server::read(unmarked(sent));
  }

  void answer(const toy_gss_server::call& c, std::string_view results = "0000002a") {
    h.receive(server.answer(c, hex(results)));
  }

  void make_context() {
    submit(0);
    answer(next());
    answer(next());
    ASSERT_EQ(h.events.size(), 1u);
    ASSERT_EQ(h.events[0].outcome, call_outcome::replied);
    h.events.clear();
    h.results.clear();
  }

  /// The one event, and how it ended.
  call_event only() {
    EXPECT_EQ(h.events.size(), 1u);
    return h.events.empty() ? call_event{} : h.events[0];
  }

  support::toy_realm realm;
  toy_gss_server server;
  harness h;
  octets sent;
};

struct CoreGss : testing::TestWithParam<gss_service> {
  gss_harness g{GetParam()};
};

std::string name_of(const testing::TestParamInfo<gss_service>& chosen) {
  constexpr std::array names{"krb5", "krb5i", "krb5p"};
  return names[static_cast<std::size_t>(chosen.param) - 1];
}

INSTANTIATE_TEST_SUITE_P(all, CoreGss,
                         testing::Values(gss_service::none, gss_service::integrity,
                                         gss_service::privacy),
                         name_of);

TEST_P(CoreGss, MakesAContextBeforeTheFirstCall) {
  g.submit(1);
  const auto token = g.next();
  EXPECT_EQ(token.credential.proc, gss_proc::init);
  EXPECT_EQ(token.header.program, 100003u);
  EXPECT_EQ(token.header.version, 3u);
  EXPECT_TRUE(g.h.send_one().empty()); // nothing before the server's answer
  g.answer(token);

  const auto data = g.next();
  EXPECT_EQ(data.credential.proc, gss_proc::data);
  EXPECT_EQ(data.credential.service, GetParam());
  EXPECT_EQ(data.header.procedure, 6u);
  EXPECT_EQ(wire::to_hex(data.args), "cafe0001");
  g.answer(data, "0000002a00000007");

  EXPECT_EQ(g.only().outcome, call_outcome::replied);
  EXPECT_EQ(g.h.results, (std::vector<std::string>{"0000002a00000007"}));
  EXPECT_EQ(g.h.core.counters().contexts, 1u);
  EXPECT_EQ(g.h.core.counters().unsafe_replies, 0u);
}

TEST_P(CoreGss, TakesAsManyRoundsAsTheMechanismNeeds) {
  g.realm.rounds = g.server.rounds = 3;
  g.submit(1);

  for (int i = 0; i < 3; ++i)
    g.answer(g.next());
  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::replied);
}

/// What a WRITE is made of: words, and data that is borrowed.
struct file_data {
  bytes data;

  static bool fields(auto& m, auto& ar) { return ar.payload("data", m.data, data_bytes_max); }
};

bool encode_file_data(const void* args, wire::writer& out) {
  return encode(*static_cast<const file_data*>(args), out);
}

TEST_P(CoreGss, ProtectsFileDataWhereverItEnds) {
  g.server.window = 100;
  g.make_context();
  for (std::size_t n = 0; n < 40; ++n) {
    const octets data(n, std::byte{0x77});
    const file_data args{data};
    auto r = request(1);
    r.args = &args;
    r.encode = encode_file_data;
    ASSERT_TRUE(g.h.core.submit(r, 0ns));

    const auto call = g.next();

    const auto decoded = decode_exact<file_data>(call.args);
    ASSERT_TRUE(decoded) << n;
    EXPECT_TRUE(std::ranges::equal(decoded->data, data)) << n;
    g.answer(call);
  }
  EXPECT_EQ(g.h.events.size(), 40u);
}

TEST_P(CoreGss, CutsAProtectedRecordIntoFragments) {
  auto options = with_gss(g.realm, GetParam());
  options.fragment_bytes_max = 7;
  harness h(options);
  ASSERT_TRUE(h.core.submit(request(1), 0ns));
  const auto whole = [](const octets& fragments) {
    record_framer framer(record_bytes_max);
    framer.feed(fragments, {});
    const auto record = framer.next();
    EXPECT_TRUE(record);
    return record ? octets(record->data.begin(), record->data.end()) : octets{};
  };
  const auto first = whole(h.send_one());
  h.receive(g.server.answer(toy_gss_server::read(first)));

  const auto second = whole(h.send_one());

  EXPECT_EQ(wire::to_hex(toy_gss_server::read(second).args), "cafe0001");
}

TEST_P(CoreGss, FindsAWrongVerifier) {
  g.make_context();
  g.submit(1);
  g.server.spoil_verifier = [](octets& v) { v[3] ^= std::byte{1}; };

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::unsafe);
  EXPECT_EQ(g.only().error, errc::wrong_verifier);
  EXPECT_TRUE(g.only().results.empty());
  EXPECT_EQ(g.h.core.counters().unsafe_replies, 1u);
  EXPECT_FALSE(g.h.core.failed());
}

TEST_P(CoreGss, FindsAMissingVerifier) {
  g.make_context();
  g.submit(1);
  g.server.spoil_verifier = [](octets& v) { v.clear(); };

  g.answer(g.next());

  EXPECT_EQ(g.only().error, errc::wrong_verifier);
}

TEST_P(CoreGss, FindsTheReplayOfAnEarlierReply) {
  g.make_context(); // its call had the sequence number 1
  g.submit(1);
  g.server.other_sequence = 1;

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::unsafe);
  EXPECT_EQ(g.only().error, errc::wrong_verifier);
}

TEST_P(CoreGss, BelievesNoRefusalWithoutAVerifierIfItWasAccepted) {
  g.make_context();
  g.submit(1);
  auto call = g.next();
  g.h.receive(toy_gss_server::proc_unavail(call));
  g.submit(2);
  call = g.next();
  call.key += 1;
  g.h.receive(toy_gss_server::proc_unavail(call));

  ASSERT_EQ(g.h.events.size(), 2u);
  EXPECT_EQ(g.h.events[0].outcome, call_outcome::refused);
  EXPECT_EQ(g.h.events[0].header.accepted, accept_stat::proc_unavail);
  EXPECT_EQ(g.h.events[1].error, errc::wrong_verifier);
}

struct CoreGssBody : CoreGss {};

INSTANTIATE_TEST_SUITE_P(all, CoreGssBody,
                         testing::Values(gss_service::integrity, gss_service::privacy), name_of);

TEST_P(CoreGssBody, FindsResultsOfAnotherCall) {
  g.make_context();
  g.submit(1);
  g.server.other_body_sequence = 1;

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::unsafe);
  EXPECT_EQ(g.only().error, errc::wrong_sequence);
}

TEST_P(CoreGssBody, FindsEveryChangedByte) {
  g.server.window = 100;
  g.make_context();
  for (std::size_t at = 0; at < 12; ++at) {
    g.h.events.clear();
    g.submit(1);
    g.server.spoil_body = [at](octets& body) { body[at] ^= std::byte{0x10}; };

    g.answer(g.next(), "0000002a00000007");

    EXPECT_EQ(g.only().outcome, call_outcome::unsafe);
    EXPECT_EQ(g.only().error,
              GetParam() == gss_service::integrity ? errc::wrong_checksum : errc::cannot_unwrap)
        << at;
  }
}

/// Well-formed XDR around too little.
TEST_P(CoreGssBody, FindsABodyThatIsCutShort) {
  g.server.window = 100;
  g.make_context();
  for (std::size_t left = 0; left < 8; ++left) {
    g.h.events.clear();
    g.submit(1);
    g.server.spoil_body = [left](octets& body) { body.resize(left); };

    g.answer(g.next(), "0000002a00000007");

    EXPECT_EQ(g.only().outcome, call_outcome::unsafe) << left;
    EXPECT_EQ(g.only().error,
              GetParam() == gss_service::integrity ? errc::wrong_checksum : errc::cannot_unwrap);
  }
}

TEST_P(CoreGssBody, SaysWhereAReplyCannotBeDecoded) {
  g.make_context();
  g.submit(1);
  auto reply = g.server.answer(g.next(), hex("0000002a"));
  reply.resize(reply.size() - 4);
  wire::store_be(reply.data(), static_cast<u32>(reply.size() - 4) | record_mark::last_fragment);

  g.h.receive(reply);

  EXPECT_EQ(g.only().outcome, call_outcome::bad_reply);
  EXPECT_EQ(g.only().problem.code, wire::errc::truncated);
  EXPECT_THAT(wire::describe(g.only().problem), HasSubstr("rpc_gss_"));
}

TEST(CoreGssIntegrity, FindsAChangedChecksum) {
  gss_harness g(gss_service::integrity);
  g.make_context();
  g.submit(1);
  g.server.spoil_checksum = [](octets& c) { c.back() ^= std::byte{1}; };

  g.answer(g.next());

  EXPECT_EQ(g.only().error, errc::wrong_checksum);
}

TEST(CoreGssContext, KeepsToTheServersWindow) {
  gss_harness g(gss_service::none);
  g.server.window = 2;
  g.make_context();
  for (int user = 1; user <= 4; ++user)
    g.submit(user);

  const auto first = g.next();
  const auto second = g.next();
  EXPECT_TRUE(g.h.send_one().empty());
  g.answer(second);
  const auto third = g.next();
  EXPECT_TRUE(g.h.send_one().empty());
  g.answer(first);
  g.answer(third);
  g.answer(g.next());

  EXPECT_EQ(g.h.events.size(), 4u);
  EXPECT_GT(third.credential.seq_num, second.credential.seq_num);
  EXPECT_GT(second.credential.seq_num, first.credential.seq_num);
}

/// An abandoned call keeps its place, until its reply comes or it is forgotten.
TEST(CoreGssContext, CountsAbandonedCallsInTheWindow) {
  gss_harness g(gss_service::none);
  g.server.window = 1;
  g.make_context();
  const auto xid = g.h.core.submit(request(1), 0ns);
  ASSERT_TRUE(xid);
  const auto first = g.next();
  g.h.core.abandon(*xid);
  g.submit(2);

  EXPECT_TRUE(g.h.send_one().empty());
  g.answer(first);
  g.answer(g.next());

  EXPECT_EQ(user_of(g.only()), 2);
}

TEST(CoreGssContext, MakesANewOneWhenTheServerHasForgottenItAndRepeatsTheCall) {
  for (const auto why : {auth_stat::gss_cred_problem, auth_stat::gss_ctx_problem}) {
    gss_harness g(gss_service::integrity);
    g.make_context();
    g.submit(1);
    const auto call = g.next();
    g.h.receive(toy_gss_server::refusal(call, why));
    EXPECT_TRUE(g.h.events.empty());

    const auto token = g.next();
    EXPECT_EQ(token.credential.proc, gss_proc::init);
    g.answer(token);
    const auto again = g.next();
    EXPECT_EQ(again.header.xid, call.header.xid);
    EXPECT_EQ(again.key, call.key + 1);
    EXPECT_EQ(again.args, call.args);
    g.answer(again);

    EXPECT_EQ(g.only().outcome, call_outcome::replied);
    EXPECT_EQ(g.h.core.counters().contexts, 2u);
    EXPECT_EQ(g.h.core.counters().repeated_calls, 1u);
  }
}

TEST(CoreGssContext, RepeatsACallOnce) {
  gss_harness g(gss_service::none);
  g.make_context();
  g.submit(1);
  g.h.receive(toy_gss_server::refusal(g.next(), auth_stat::gss_ctx_problem));
  g.answer(g.next());

  g.h.receive(toy_gss_server::refusal(g.next(), auth_stat::gss_ctx_problem));

  EXPECT_EQ(g.only().outcome, call_outcome::refused);
  EXPECT_EQ(g.only().header.auth, auth_stat::gss_ctx_problem);
  g.submit(2);
  EXPECT_EQ(g.next().credential.proc, gss_proc::init); // and believes no more in that context
}

TEST(CoreGssContext, MakesOneNewContextForAllThatWereInFlight) {
  gss_harness g(gss_service::privacy);
  g.make_context();
  for (int user = 1; user <= 3; ++user)
    g.submit(user);
  const auto first = g.next();
  const auto second = g.next();
  const auto third = g.next();
  g.answer(third); // was executed before the server forgot
  g.h.receive(toy_gss_server::refusal(first, auth_stat::gss_ctx_problem));
  g.answer(g.next());
  g.h.receive(toy_gss_server::refusal(second, auth_stat::gss_ctx_problem));

  g.answer(g.next());
  g.answer(g.next());

  EXPECT_EQ(g.h.events.size(), 3u);
  EXPECT_EQ(g.h.core.counters().contexts, 2u);
  EXPECT_EQ(g.realm.made, 2);
}

TEST(CoreGssContext, TakesRepliesOfTheOldContextWhileThereIsANewOne) {
  gss_harness g(gss_service::privacy);
  g.make_context();
  g.submit(1);
  g.submit(2);
  const auto slow = g.next();
  g.h.receive(toy_gss_server::refusal(g.next(), auth_stat::gss_ctx_problem));
  g.answer(g.next());
  g.answer(g.next());

  g.answer(slow);

  ASSERT_EQ(g.h.events.size(), 2u);
  EXPECT_EQ(g.h.events[1].outcome, call_outcome::replied);
}

TEST(CoreGssContext, IsReplacedBeforeItsSequenceNumbersEnd) {
  gss_harness g(gss_service::none, 4); // 1 and 2 for calls, 3 for its end
  for (int i = 0; i < 6; ++i) {
    g.submit(i);
    auto call = g.next();
    if (i % 2 == 0) {
      EXPECT_EQ(call.credential.proc, gss_proc::init) << i;
      g.answer(call);
      call = g.next();
    }
    EXPECT_LE(call.credential.seq_num, 2u);
    g.answer(call);
  }
  EXPECT_EQ(g.h.events.size(), 6u);
  EXPECT_EQ(g.h.core.counters().contexts, 3u);
}

TEST(CoreGssContext, IsReplacedWhenItExpiresHere) {
  gss_harness g(gss_service::none);
  g.realm.expire_after = 1;
  g.make_context();
  g.submit(1);

  const auto token = g.next();
  EXPECT_EQ(token.credential.proc, gss_proc::init);
  g.answer(token);
  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::replied);
}

TEST(CoreGssContext, IsNotMadeForEverWhenItExpiresAtOnce) {
  gss_harness g(gss_service::none);
  g.realm.expire_after = 0;
  g.submit(1);
  g.answer(g.next());
  g.answer(g.next());

  EXPECT_TRUE(g.h.send_one().empty());
  g.h.collect();

  EXPECT_EQ(g.only().outcome, call_outcome::no_context);
  EXPECT_THAT(g.only().explanation, HasSubstr("expires"));
}

TEST(CoreGssContext, TellsEveryCallThatThereIsNoTicketAndAsksAgainForTheNext) {
  gss_harness g(gss_service::none);
  g.realm.no_ticket = "there is no ticket";
  g.submit(1);
  g.submit(2);

  EXPECT_TRUE(g.h.send_one().empty());
  EXPECT_EQ(g.h.core.poll_timeout(), 0ns); // the driver comes for the events
  g.h.collect();

  ASSERT_EQ(g.h.events.size(), 2u);
  for (const auto& e : g.h.events) {
    EXPECT_EQ(e.outcome, call_outcome::no_context);
    EXPECT_EQ(e.explanation, "there is no ticket");
  }
  g.h.events.clear();
  g.realm.no_ticket.clear();
  g.make_context();
}

TEST(CoreGssContext, SaysThatTheServerDoesNotTakeTheToken) {
  gss_harness g(gss_service::none);
  g.server.major = 0x000d0000;
  g.submit(1);

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::no_context);
  EXPECT_THAT(g.only().explanation, HasSubstr("gss_major 0xd0000"));
}

TEST(CoreGssContext, SaysThatTheServerRefusesTheNegotiation) {
  gss_harness g(gss_service::none);
  g.submit(1);

  g.h.receive(toy_gss_server::refusal(g.next(), auth_stat::gss_cred_problem));

  EXPECT_EQ(g.only().outcome, call_outcome::no_context);
  EXPECT_THAT(g.only().explanation, HasSubstr("RPCSEC_GSS_CREDPROBLEM"));
}

TEST(CoreGssContext, ChecksWhoCompletedIt) {
  gss_harness g(gss_service::none);
  g.server.wrong_window_verifier = true;
  g.submit(1);

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::no_context);
  EXPECT_THAT(g.only().explanation, HasSubstr("seq_window"));
}

TEST(CoreGssContext, EndsNoNegotiationEarlierThanTheMechanism) {
  gss_harness g(gss_service::none);
  g.realm.rounds = 2;
  g.submit(1);

  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::no_context);
  EXPECT_THAT(g.only().explanation, HasSubstr("too early"));
}

TEST(CoreGssContext, TakesNoWindowWithoutPlaces) {
  gss_harness g(gss_service::none);
  g.server.window = 0;
  g.submit(1);

  g.answer(g.next());

  EXPECT_THAT(g.only().explanation, HasSubstr("seq_window 0"));
}

TEST(CoreGssContext, IsBegunAnewWhenTheServerDoesNotAnswer) {
  gss_harness g(gss_service::none);
  g.submit(1);
  const auto lost = g.next();

  ASSERT_EQ(g.h.core.poll_timeout(), 10s);
  g.h.core.handle_timeout(10s);
  g.h.collect();
  EXPECT_EQ(g.only().outcome, call_outcome::timed_out);
  g.h.events.clear();
  ASSERT_TRUE(g.h.core.submit(request(2, 30s), 11s));
  const auto again = g.next();
  g.answer(lost); // too late
  EXPECT_EQ(g.h.core.counters().unknown_replies, 1u);
  g.answer(again);
  g.answer(g.next());

  EXPECT_EQ(g.only().outcome, call_outcome::replied);
}

TEST(CoreGssContext, NeverSendsWhatCannotBeEncoded) {
  gss_harness g(gss_service::integrity);
  g.make_context();
  auto r = request(1);
  r.encode = encode_fails;
  ASSERT_TRUE(g.h.core.submit(r, 0ns));
  g.submit(2);

  const auto call = g.next();
  g.h.collect();
  EXPECT_EQ(g.only().outcome, call_outcome::bad_arguments);
  g.answer(call);

  ASSERT_EQ(g.h.events.size(), 2u);
  EXPECT_EQ(g.h.events[1].outcome, call_outcome::replied);
}

TEST(CoreGssContext, IsDestroyedAtTheEnd) {
  gss_harness g(gss_service::privacy);
  g.make_context();

  g.h.core.end_context();
  const auto call = g.next();

  EXPECT_EQ(call.credential.proc, gss_proc::destroy);
  EXPECT_EQ(call.header.program, 100003u);
  EXPECT_EQ(call.header.procedure, 0u);
  EXPECT_GT(call.credential.seq_num, 1u);
  EXPECT_TRUE(call.args.empty());
  EXPECT_TRUE(g.h.send_one().empty());
}

TEST(CoreGssContext, ThatWasNeverMadeIsNotDestroyed) {
  gss_harness g(gss_service::privacy);
  g.submit(1);
  const auto token = g.next();

  g.h.core.end_context();

  EXPECT_TRUE(g.h.send_one().empty());
  harness plain(numbered(0x11));
  plain.core.end_context();
  EXPECT_TRUE(plain.send_one().empty());
}

TEST(CoreGssContext, EndsEveryCallOnceWhenTheConnectionGoesInTheMiddle) {
  gss_harness g(gss_service::integrity);
  g.submit(1);
  g.submit(2);
  static_cast<void>(g.next());

  g.h.core.connection_lost(std::make_error_code(std::errc::connection_reset), 3ms);
  g.h.collect();

  ASSERT_EQ(g.h.events.size(), 2u);
  EXPECT_EQ(g.h.events[0].outcome, call_outcome::connection_lost);
  EXPECT_EQ(g.h.core.poll_timeout(), std::nullopt);
}

} // namespace
