#include "tests/unit/smb2/client_fixture.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/policy.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

using testing::HasSubstr;

TEST_F(Smb2Client, RefusesToBeAGuestWhereNobodyAskedForIt) {
  server.as_guest = true;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure);
  EXPECT_THAT(result.error().text, HasSubstr("took us for a guest, which nobody asked for"));
  EXPECT_EQ(server.count(tree_connect::number), 0u);
}

TEST_F(Smb2Client, IsAGuestWhenAskedAndSignsNothingThen) {
  options.sec = login::guest;
  options.dialect = server.dialect = dialect::smb_3_1_1;
  server.as_guest = true;
  server.security_mode = security_mode::signing_required; // of those who have a key
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  for (const auto& r : server.seen)
    EXPECT_FALSE(r.head.is_signed()) << commands::name(r.head.command);
}

TEST_F(Smb2Client, IsAnonymousWhenAsked) {
  options.sec = login::anonymous;
  options.who = {};
  server.as_anonymous = true;
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  for (const auto& r : server.seen)
    EXPECT_FALSE(r.head.is_signed()) << commands::name(r.head.command);
}

TEST_F(Smb2Client, DoesNotEvenConnectWhereItsOptionsContradictEachOther) {
  options.sec = login::guest;
  options.sign = signing_policy::required;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "SESSION_SETUP as DOMAIN\\user: who is a guest has no key to sign "
                                 "with, and signing is required");
  EXPECT_TRUE(server.seen.empty());
}

TEST_F(Smb2Client, OffersTheDialectsOfItsListAlone) {
  options.dialect.reset();
  options.dialects = {dialect::smb_3_0, dialect::smb_2_1};
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_THAT(server.seen.front().body<negotiate>().dialects,
              testing::ElementsAre(dialect::smb_2_1, dialect::smb_3_0));
}

TEST_F(Smb2Client, SaysThatTheServerHasNoneOfTheDialects) {
  options.dialect.reset();
  options.dialects = {dialect::smb_3_0, dialect::smb_2_1};
  server.before = [&](const fake::request& r, fake::response& out) {
    out.messages.push_back(server.refuse(r, status::not_supported));
    out.handled = true;
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::unsupported);
  EXPECT_THAT(result.error().text, HasSubstr("it speaks none of the dialects offered (2.1, 3.0)"));
}

TEST_F(Smb2Client, RefusesASigningAlgorithmThatWasNotOffered) {
  options.dialect = server.dialect = dialect::smb_3_1_1;
  options.signing_algorithms = {signing_algorithm::aes_cmac};
  server.algorithm = signing_algorithm::aes_gmac;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, HasSubstr("a signing algorithm that was not offered"));
}

TEST_F(Smb2Client, RefusesAServerThatTakesNoChoiceOfAlgorithmWhereAesCmacWasRuledOut) {
  options.dialect = server.dialect = dialect::smb_3_1_1;
  options.signing_algorithms = {signing_algorithm::aes_gmac};
  server.with_signing_context = false;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure);
  EXPECT_THAT(result.error().text, HasSubstr("it signs with AES-CMAC alone"));
}

TEST_F(Smb2Client, SaysWhatAServerMayMeanThatTakesSealedSessionsAlone) {
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != session_setup::number) return;
    out.messages.push_back(server.refuse(r, status::access_denied));
    out.handled = true;
  };

  const auto old = run_to_end(io, open_only(options, "a"));
  options.dialect = server.dialect = dialect::smb_3_0;
  options.seal = sealing_policy::off;
  const auto off = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(old);
  EXPECT_THAT(old.error().text, HasSubstr("if the server demands sealing: dialect 2.1 cannot"));
  ASSERT_FALSE(off);
  EXPECT_THAT(off.error().text, HasSubstr("if the server demands sealing: seal=off rules it out"));
}

TEST_F(Smb2Client, SaysThatKerberosIsNotThere) {
  options.sec = login::kerberos;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::unsupported);
}

TEST_F(Smb2Client, PassesOnWhyThereIsNoKerberos) {
  options.sec = login::kerberos;
  options.who = {};
  options.kerberos =
      [](const auth::credentials&,
         const std::string& host) -> std::expected<std::unique_ptr<auth::mechanism>, std::string> {
    return std::unexpected("no ticket for " + host);
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, auth::make_error_code(auth::errc::kerberos));
  EXPECT_EQ(result.error().text,
            "SESSION_SETUP as the user of the ticket: no ticket for 127.0.0.1");
}

TEST_F(Smb2Client, NamesTheSessionThatItReplaces) {
  options.previous_session_id = 0x77;
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.seen.at(1).body<session_setup>().previous_session_id, 0x77u);
}

awaitable<text_result> two_users(session_options options) {
  auto first = co_await session::open(options);
  if (!first) co_return std::unexpected(first.error());
  auto second = co_await session::open_beside(*first, options);
  if (!second) co_return std::unexpected(second.error());
  EXPECT_NE(first->facts().session_id, second->facts().session_id);
  auto entered = co_await tree::connect(*second, "share");
  if (!entered) co_return std::unexpected(entered.error());
  auto gone = co_await second->logoff();
  if (!gone) co_return std::unexpected(gone.error());
  entered = std::unexpected(error{});
  second = std::unexpected(error{});
  auto echoed = co_await first->echo();
  if (!echoed) co_return std::unexpected(echoed.error());
  EXPECT_FALSE(first->connection().closed());
  auto off = co_await first->logoff();
  if (!off) co_return std::unexpected(off.error());
  EXPECT_TRUE(first->connection().closed());
  co_return std::string("both");
}

TEST_F(Smb2Client, HasSeveralSessionsOnOneConnection) {
  options.dialect = server.dialect = dialect::smb_3_1_1;

  const auto result = run_to_end(io, two_users(options));

  EXPECT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(negotiate::number), 1u);
  EXPECT_EQ(server.count(session_setup::number), 4u);
}

/// The first `how_many` calls behind SESSION_SETUP of this command find the session expired.
void expire(fake::server& server, u16 command, int how_many) {
  server.before = [&server, command, how_many](const fake::request& r,
                                               fake::response& out) mutable {
    if (r.head.command != command || how_many-- <= 0) return;
    out.messages.push_back(server.refuse(r, status::network_session_expired));
    out.handled = true;
  };
}

TEST_F(Smb2Client, RenewsAnExpiredSessionAndRepeatsTheCall) {
  server.files["a"] = {};
  options.sign = signing_policy::required;
  expire(server, create::number, 1);

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(create::number), 2u);
  EXPECT_EQ(server.count(session_setup::number), 4u);
  for (const auto& r : server.seen) {
    if (r.head.command != session_setup::number || !r.head.is_signed()) continue;
    EXPECT_EQ(r.head.session_id, 0x1234u);
    EXPECT_TRUE(crypto::verify(*server.signer, r.message));
  }
}

TEST_F(Smb2Client, RepeatsACallOfAnExpiredSessionButOnce) {
  server.files["a"] = {};
  expire(server, create::number, 2);

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, make_status_error(status::network_session_expired));
  EXPECT_EQ(server.count(create::number), 2u);
}

TEST_F(Smb2Client, SaysThatAnExpiredSessionCannotBeRenewed) {
  server.files["a"] = {};
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != create::number) return;
    server.authentication.ntlm.password = "changed meanwhile";
    out.messages.push_back(server.refuse(r, status::network_session_expired));
    out.handled = true;
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, HasSubstr("has expired, and cannot be renewed: "));
  EXPECT_THAT(result.error().text, HasSubstr("STATUS_LOGON_FAILURE"));
}

awaitable<text_result> read_all(session_options options, std::size_t size) {
  auto where = co_await enter(std::move(options));
  if (!where) co_return std::unexpected(where.error());
  auto in = co_await where->open("a", open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  std::vector<std::byte> back(size);
  transfer_options chunks;
  chunks.chunk_bytes = 65'536;
  auto got = co_await in->read(0, back, chunks);
  if (!got) co_return std::unexpected(got.error());
  EXPECT_TRUE(back == pattern(size));
  co_return std::string("read");
}

TEST_F(Smb2Client, RenewsASessionThatExpiresInTheMiddleOfATransfer) {
  server.files["a"] = pattern(1'000'000);
  expire(server, read::number, 3);

  const auto result = run_to_end(io, read_all(options, 1'000'000));

  EXPECT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(session_setup::number), 4u);
}

awaitable<text_result> two_channels(session_options options) {
  auto first = co_await session::open(options);
  if (!first) co_return std::unexpected(first.error());
  auto second = co_await session::bind(*first, options.where);
  if (!second) co_return std::unexpected(second.error());
  EXPECT_EQ(first->facts().session_id, second->facts().session_id);
  auto entered = co_await tree::connect(*second, "share");
  if (!entered) co_return std::unexpected(entered.error());
  co_return std::string("both");
}

class Smb2ClientChannels : public Smb2Client, public testing::WithParamInterface<dialect> {
 protected:
  void SetUp() override {
    options.dialect = server.dialect = GetParam();
    server.capabilities |= capability::multi_channel;
    options.sign = signing_policy::required;
  }
};

TEST_P(Smb2ClientChannels, BindsAConnectionToTheSession) {
  int bindings = 0;
  server.before = [&](const fake::request& r, fake::response&) {
    if (r.head.command != session_setup::number || r.head.session_id == 0) return;
    if (r.body<session_setup>().flags != session_setup::request::flag_binding) return;
    ++bindings;
    EXPECT_TRUE(r.head.is_signed());
    EXPECT_TRUE(crypto::verify(*server.signer, r.message));
  };

  const auto result = run_to_end(io, two_channels(options));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(bindings, 2);
  EXPECT_EQ(server.count(negotiate::number), 2u);
  std::vector<guid> guids;
  for (const auto& r : server.seen)
    if (r.head.command == negotiate::number) guids.push_back(r.body<negotiate>().client_guid);
  EXPECT_EQ(guids.at(0), guids.at(1));
  EXPECT_TRUE(crypto::verify(*server.signer, server.seen.back().message));
}

TEST_P(Smb2ClientChannels, NoticesThatAnyOfTheResponsesWasChanged) {
  for (const int which : {1, 2}) {
    int seen = 0;
    server.tamper = [&](const fake::request& r, std::vector<std::byte>& message) {
      if (r.head.command != session_setup::number || !r.head.is_signed()) return;
      if (++seen == which) message[14] ^= std::byte{0x10}; // CreditResponse
    };

    const auto result = run_to_end(io, two_channels(options));

    ASSERT_FALSE(result) << which;
    EXPECT_EQ(result.error().code, errc::bad_signature) << which << text_of(result);
  }
}

TEST_P(Smb2ClientChannels, SaysThatTheServerHasNoMultichannel) {
  server.capabilities = capability::large_mtu;

  const auto result = run_to_end(io, two_channels(options));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::unsupported);
  EXPECT_THAT(result.error().text, HasSubstr("the server has no multichannel"));
}

INSTANTIATE_TEST_SUITE_P(dialects, Smb2ClientChannels,
                         testing::Values(dialect::smb_3_0, dialect::smb_3_0_2, dialect::smb_3_1_1),
                         [](const testing::TestParamInfo<dialect>& chosen) {
                           return "smb" + std::to_string(static_cast<int>(chosen.param));
                         });

TEST_F(Smb2Client, BindsNothingBelow30) {
  const auto result = run_to_end(io, two_channels(options));

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, HasSubstr("further channels need dialect 3.0"));
}

struct kept_keys final : key_sink {
  u64 session_id = 0;
  std::vector<std::byte> session_key, to_client, to_server;
  int calls = 0;

  void on_session_keys(const session_secrets& s) override {
    ++calls;
    session_id = s.session_id;
    session_key.assign(s.session_key.begin(), s.session_key.end());
    to_client.assign(s.to_client.begin(), s.to_client.end());
    to_server.assign(s.to_server.begin(), s.to_server.end());
  }
};

TEST_F(Smb2Client, TellsItsKeysToWhoWantsThem) {
  kept_keys kept;
  options.keys = &kept;
  options.dialect = server.dialect = dialect::smb_3_0;
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(kept.calls, 1);
  EXPECT_EQ(kept.session_id, 0x1234u);
  const auto& key = server.authentication.ntlm.session_key;
  EXPECT_TRUE(std::ranges::equal(kept.session_key, key));
  const auto keys = crypto::derive_keys(dialect::smb_3_0, key, {}, cipher::aes_128_ccm);
  EXPECT_TRUE(std::ranges::equal(kept.to_client, keys.decryption.view()));
  EXPECT_TRUE(std::ranges::equal(kept.to_server, keys.encryption.view()));
}

TEST_F(Smb2Client, HasNoKeysToTellOfAGuest) {
  kept_keys kept;
  options.keys = &kept;
  options.sec = login::guest;
  server.as_guest = true;
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(kept.calls, 0);
}

} // namespace
} // namespace smb2
