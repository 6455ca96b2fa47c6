// The SMB2 client's ways to log on, against a real server that knows a realm and takes guests.
// WIRETRIP_LAB_SMB_KRB5 names it ("smb://server.wiretrip.lab/export?sec=krb5"), and
// WIRETRIP_LAB_KEYTAB the keys of a user with whom kinit gets tickets; without the first all of
// this is skipped.

#include "smb2/auth/kerberos_client.hpp"
#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace smb2 {
namespace {

using testing::HasSubstr;
using wire::net::run_to_end;

class smb2_kerberos_lab : public testing::Test {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB_KRB5");
    if (url == nullptr)
      GTEST_SKIP() << "WIRETRIP_LAB_SMB_KRB5 is not set: no server with Kerberos to talk to "
                      "(bench/lab/lab up --krb5)";
    auto parsed = parse_url(url);
    ASSERT_TRUE(parsed) << parsed.error();
    from = *parsed;
    options = options_of(from, {});
    options.kerberos = auth::kerberos_source();
    options.connection.timeout = std::chrono::seconds(10);
    if (const char* cache = std::getenv("KRB5CCNAME")) tickets = cache;
  }

  void TearDown() override { setenv("KRB5CCNAME", tickets.c_str(), 1); }

  /// Another cache than the one with the ticket, for this test.
  void use_tickets_of(const std::string& cache) const {
    setenv("KRB5CCNAME", ("FILE:" + cache).c_str(), 1);
  }

  url from;
  session_options options;
  std::string tickets;
  asio::io_context io;
};

awaitable<std::expected<session_facts, error>> log_on(session_options options, std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  const auto facts = opened->facts();
  if (!share.empty()) {
    auto entered = co_await tree::connect(*opened, share);
    if (!entered) co_return std::unexpected(entered.error());
    auto listed = co_await entered->list("");
    if (!listed) co_return std::unexpected(listed.error());
  }
  auto renewed = std::expected<void, error>{};
  if (!facts.guest) renewed = co_await opened->renew();
  if (!renewed) co_return std::unexpected(renewed.error());
  auto echoed = co_await opened->echo();
  if (!echoed) co_return std::unexpected(echoed.error());
  auto off = co_await opened->logoff();
  if (!off) co_return std::unexpected(off.error());
  co_return facts;
}

struct security {
  const char* name;
  const char* options;
  smb2::dialect dialect;
  bool signs;
};

class smb2_kerberos_lab_dialects : public smb2_kerberos_lab,
                                   public testing::WithParamInterface<security> {};

/// Each set-up proves both keys: the last response is signed, and the renewal is done in a session
/// that has one.
TEST_P(smb2_kerberos_lab_dialects, LogsOnWithATicketAndRenewsTheSession) {
  const auto parsed = parse_url("smb://" + from.host + "/" + from.share + GetParam().options);
  ASSERT_TRUE(parsed) << parsed.error();
  auto chosen = options_of(*parsed, {});
  chosen.kerberos = options.kerberos;

  const auto facts = run_to_end(io, log_on(chosen, from.share));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->dialect, GetParam().dialect);
  EXPECT_EQ(facts->signs, GetParam().signs);
  EXPECT_FALSE(facts->guest);
}

INSTANTIATE_TEST_SUITE_P(
    all, smb2_kerberos_lab_dialects,
    testing::Values(
        security{"smb202", "?sec=krb5&dialect=2.0.2", dialect::smb_2_0_2, false},
        security{"smb202_signed", "?sec=krb5&dialect=2.0.2&sign=required", dialect::smb_2_0_2,
                 true},
        security{"smb21_signed", "?sec=krb5&dialect=2.1&sign=required", dialect::smb_2_1, true},
        security{"smb30_signed", "?sec=krb5&dialect=3.0&sign=required", dialect::smb_3_0, true},
        security{"smb302", "?sec=krb5&dialect=3.0.2", dialect::smb_3_0_2, false},
        security{"smb311", "?sec=krb5", dialect::smb_3_1_1, false},
        security{"smb311_gmac", "?sec=krb5&sign=aes-gmac", dialect::smb_3_1_1, true},
        security{"smb311_cmac", "?sec=krb5&sign=aes-cmac", dialect::smb_3_1_1, true},
        security{"smb311_hmac", "?sec=krb5&sign=hmac-sha256", dialect::smb_3_1_1, true},
        security{"smb30_sealed", "?sec=krb5&dialect=3.0&seal=required", dialect::smb_3_0, false},
        security{"smb311_sealed", "?sec=krb5&seal=required", dialect::smb_3_1_1, false},
        security{"smb311_ccm128", "?sec=krb5&seal=aes-128-ccm", dialect::smb_3_1_1, false},
        security{"smb311_gcm256", "?sec=krb5&seal=aes-256-gcm", dialect::smb_3_1_1, false},
        security{"smb311_ccm256", "?sec=krb5&seal=aes-256-ccm", dialect::smb_3_1_1, false}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_F(smb2_kerberos_lab, TakesTheUserThatTheTicketIsFor) {
  options.who.user = "wiretrip";

  const auto facts = run_to_end(io, log_on(options, from.share));

  EXPECT_TRUE(facts) << facts.error().text;
}

TEST_F(smb2_kerberos_lab, SaysThatTheTicketIsAnotherUsers) {
  options.who.user = "somebody";

  const auto facts = run_to_end(io, log_on(options, from.share));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("SESSION_SETUP as somebody: there is no Kerberos "
                                            "ticket for this user"));
}

TEST_F(smb2_kerberos_lab, SaysThatThereIsNoTicket) {
  use_tickets_of("/nonexistent/tickets");

  const auto facts = run_to_end(io, log_on(options, from.share));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("there is no Kerberos ticket"));
}

TEST_F(smb2_kerberos_lab, SaysThatAnAddressIsNoNameForKerberos) {
  options.where.host = "198.18.1.2";

  const auto facts = run_to_end(io, log_on(options, from.share));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("198.18.1.2 is an address"));
}

TEST_F(smb2_kerberos_lab, SaysThatTheKdcDoesNotKnowTheServer) {
  options.where.host = "stranger.wiretrip.lab";

  const auto facts = run_to_end(io, log_on(options, from.share));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("the KDC knows no such server"));
  EXPECT_THAT(facts.error().text, HasSubstr("cifs/stranger.wiretrip.lab"));
}

TEST_F(smb2_kerberos_lab, SaysThatTheRealmIsWrong) {
  options.where.host = "server.elsewhere.lab";

  const auto facts = run_to_end(io, log_on(options, from.share));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("in a realm to which our ticket does not lead"));
  EXPECT_THAT(facts.error().text, HasSubstr("ELSEWHERE.LAB"));
}

TEST_F(smb2_kerberos_lab, SaysThatTheTicketHasExpired) {
  const char* keytab = std::getenv("WIRETRIP_LAB_KEYTAB");
  ASSERT_NE(keytab, nullptr);
  const std::string cache = testing::TempDir() + "wiretrip-expired-tickets";
  use_tickets_of(cache);
  const auto kinit = std::string("kinit -l 1s -k -t ") + keytab + " wiretrip";
  ASSERT_EQ(std::system(kinit.c_str()), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2'100));

  const auto facts = run_to_end(io, log_on(options, from.share));
  std::remove(cache.c_str());

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("the Kerberos ticket has expired"));
}

TEST_F(smb2_kerberos_lab, IsAGuestWhenItAsksForIt) {
  options.sec = login::guest;
  options.who.user = "nobody-here";

  const auto facts = run_to_end(io, log_on(options, {}));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_TRUE(facts->guest);
  EXPECT_FALSE(facts->signs);
}

TEST_F(smb2_kerberos_lab, IsNoGuestWhenItDoesNotAskForIt) {
  options.sec = login::ntlm;
  options.who.user = "nobody-here";
  options.who.password = "any";

  const auto facts = run_to_end(io, log_on(options, {}));

  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().text, HasSubstr("took us for a guest"));
}

TEST_F(smb2_kerberos_lab, IsNobodyWhenItAsksForIt) {
  options.sec = login::anonymous;

  const auto facts = run_to_end(io, log_on(options, {}));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_TRUE(facts->guest);
}

awaitable<std::expected<void, error>> two_users(session_options ntlm, session_options kerberos,
                                                std::string share) {
  auto first = co_await session::open(std::move(ntlm));
  if (!first) co_return std::unexpected(first.error());
  auto second = co_await session::open_beside(*first, std::move(kerberos));
  if (!second) co_return std::unexpected(second.error());
  EXPECT_NE(first->facts().session_id, second->facts().session_id);
  for (const auto* one : {&*first, &*second}) {
    auto entered = co_await tree::connect(*one, share);
    if (!entered) co_return std::unexpected(entered.error());
    auto listed = co_await entered->list("");
    if (!listed) co_return std::unexpected(listed.error());
  }
  auto off = co_await second->logoff();
  if (!off) co_return std::unexpected(off.error());
  second = std::unexpected(error{});
  auto end = co_await first->logoff();
  co_return end;
}

awaitable<std::expected<void, error>> two_channels(session_options options, std::string share) {
  const auto where = options.where;
  auto first = co_await session::open(std::move(options));
  if (!first) co_return std::unexpected(first.error());
  auto entered = co_await tree::connect(*first, share);
  if (!entered) co_return std::unexpected(entered.error());
  auto second = co_await session::bind(*first, where);
  if (!second) co_return std::unexpected(second.error());
  // The tree of one channel is there in the other.
  create::request request;
  request.desired_access = access::read_attributes;
  request.disposition = create_disposition::open;
  const auto how = second->state()->call(entered->state()->id);
  auto opened = co_await second->connection().call<create>(request, how);
  if (!opened) co_return std::unexpected(opened.error());
  EXPECT_EQ(name_of_status(opened->status), "STATUS_SUCCESS");
  auto echoed = co_await first->echo();
  if (!echoed) co_return std::unexpected(echoed.error());
  auto off = co_await second->logoff();
  co_return off;
}

TEST_F(smb2_kerberos_lab, BindsAFurtherChannelWithTicketsAndPasswords) {
  for (const auto sec : {login::kerberos, login::ntlm}) {
    for (const auto revision : {dialect::smb_3_0, dialect::smb_3_0_2, dialect::smb_3_1_1}) {
      auto chosen = options;
      chosen.sec = sec;
      chosen.dialect = revision;
      if (sec == login::ntlm) chosen.who.user = chosen.who.password = "wiretrip";
      chosen.sign = signing_policy::required;

      const auto done = run_to_end(io, two_channels(chosen, from.share));

      EXPECT_TRUE(done) << to_string(revision) << ": " << done.error().text;
    }
  }
}

TEST_F(smb2_kerberos_lab, BindsAFurtherChannelToASealedSession) {
  options.seal = sealing_policy::required;

  const auto done = run_to_end(io, two_channels(options, from.share));

  EXPECT_TRUE(done) << done.error().text;
}

TEST_F(smb2_kerberos_lab, HasTwoUsersOnOneConnection) {
  auto ntlm = options;
  ntlm.sec = login::ntlm;
  ntlm.who.user = ntlm.who.password = "wiretrip";
  ntlm.sign = signing_policy::required;
  auto kerberos = options;
  kerberos.sign = signing_policy::required;

  const auto done = run_to_end(io, two_users(ntlm, kerberos, from.share));

  EXPECT_TRUE(done) << done.error().text;
}

} // namespace
} // namespace smb2
