#include "tests/unit/smb2/client_fixture.hpp"

namespace smb2 {
namespace {

TEST_F(Smb2Client, RefusesADialectThatWasNotOffered) {
  server.dialect = dialect::smb_3_0;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_response);
  EXPECT_NE(result.error().text.find("it chose dialect 3.0 (0x0300), which was not offered"),
            std::string::npos)
      << result.error().text;
}

TEST_F(Smb2Client, Refuses311WithoutThePreauthContext) {
  options.dialect = server.dialect = dialect::smb_3_1_1;
  server.with_preauth_context = false;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text.find("without the SHA-512 preauthentication hash"),
            std::string::npos)
      << result.error().text;
}

TEST_F(Smb2Client, RefusesAServerThatRequiresSigningWhenSigningIsOff) {
  options.sign = signing_policy::off;
  server.security_mode = security_mode::signing_required;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure);
}

TEST_F(Smb2Client, RefusesToBeAGuestWhenSigningIsRequired) {
  options.sign = signing_policy::required;
  server.as_guest = true;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure);
  EXPECT_EQ(server.count(tree_connect::number), 0u);
}

constexpr crypto::key_128 key{std::byte{1}, std::byte{2}, std::byte{3}};

/// ECHOes that are signed, over a connection that has negotiated nothing.
awaitable<text_result> signed_echoes(wire::net::connect_options where, signing_algorithm algorithm,
                                     int how_many) {
  connection_options options;
  options.timeout = std::chrono::seconds(2);
  auto calls = co_await connection::connect(where, options);
  if (!calls) co_return std::unexpected(calls.error());
  call_options call;
  call.signer = crypto::make_signer(algorithm, key);
  const echo::request request;
  for (int i = 0; i < how_many; ++i) {
    auto got = co_await calls->call<echo>(request, call);
    if (!got) co_return std::unexpected(got.error());
  }
  co_return std::string("echoed");
}

class Smb2ClientSigning : public Smb2Client,
                          public testing::WithParamInterface<signing_algorithm> {};

TEST_P(Smb2ClientSigning, TakesWhatIsSignedWithTheSameKey) {
  server.signer = crypto::make_signer(GetParam(), key);

  const auto result = run_to_end(io, signed_echoes(options.where, GetParam(), 3));

  EXPECT_TRUE(result) << text_of(result);
}

TEST_P(Smb2ClientSigning, RefusesATamperedResponseAndClosesTheConnection) {
  server.signer = crypto::make_signer(GetParam(), key);
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.message_id != 1) return;
    auto changed = server.answer(r);
    changed[14] ^= std::byte{0x40}; // more credits than the server gave
    out.messages.push_back(changed);
    out.handled = true;
  };

  const auto result = run_to_end(io, signed_echoes(options.where, GetParam(), 3));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_signature);
  EXPECT_EQ(server.count(echo::number), 2u);
}

TEST_P(Smb2ClientSigning, RefusesAnotherKey) {
  server.signer = crypto::make_signer(GetParam(), {});

  const auto result = run_to_end(io, signed_echoes(options.where, GetParam(), 1));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_signature);
}

std::string name_of(const testing::TestParamInfo<signing_algorithm>& chosen) {
  constexpr std::array names{"hmac_sha256", "aes_cmac", "aes_gmac"};
  return names.at(static_cast<std::size_t>(chosen.param));
}

INSTANTIATE_TEST_SUITE_P(algorithms, Smb2ClientSigning,
                         testing::Values(signing_algorithm::hmac_sha256,
                                         signing_algorithm::aes_cmac, signing_algorithm::aes_gmac),
                         name_of);

struct level {
  smb2::dialect revision;
  signing_algorithm algorithm;
  const char* name;
};

class Smb2ClientSessions : public Smb2Client, public testing::WithParamInterface<level> {
 protected:
  void SetUp() override {
    options.dialect = server.dialect = GetParam().revision;
    server.algorithm = GetParam().algorithm;
    options.sign = signing_policy::required;
    server.files["a"] = pattern(5);
  }

  [[nodiscard]] bool validates() const {
    return GetParam().revision >= dialect::smb_3_0 && GetParam().revision < dialect::smb_3_1_1;
  }
};

TEST_P(Smb2ClientSessions, SignsEverythingFromTheTreeOn) {
  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_TRUE(server.authentication.client_mic_good);
  for (const auto& r : server.seen) {
    EXPECT_EQ(r.head.is_signed(), r.head.command > session_setup::number);
    if (!r.head.is_signed()) continue;
    EXPECT_TRUE(crypto::verify(*server.signer, r.message)) << commands::name(r.head.command);
  }
  EXPECT_EQ(server.count(ioctl::number), validates() ? 1u : 0u);
}

TEST_P(Smb2ClientSessions, RefusesALastSetupResponseThatSomebodyChanged) {
  server.tamper = [&](const fake::request& r, std::vector<std::byte>& message) {
    if (r.head.command == session_setup::number && server.authentication.accepted)
      message[14] ^= std::byte{0x10}; // CreditResponse
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_signature);
  EXPECT_EQ(server.count(tree_connect::number), 0u);
}

TEST_P(Smb2ClientSessions, RefusesALastSetupResponseThatIsNotSigned) {
  server.signs_last_setup = false;

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure);
}

/// Below 3.0 nothing protects NEGOTIATE; on 3.0.x FSCTL_VALIDATE_NEGOTIATE_INFO does, on 3.1.1 the
/// hash that the keys derive from.
TEST_P(Smb2ClientSessions, NoticesThatSomebodyChangedTheNegotiation) {
  server.tamper = [](const fake::request& r, std::vector<std::byte>& message) {
    if (r.head.command == negotiate::number) message[header_bytes + 24] ^= std::byte{0x02};
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  if (GetParam().revision < dialect::smb_3_0) {
    EXPECT_TRUE(result) << text_of(result);
    return;
  }
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, validates() ? errc::not_secure : errc::bad_signature)
      << text_of(result);
}

TEST_P(Smb2ClientSessions, SaysThatThePasswordIsWrong) {
  options.who.password = "another";

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "SESSION_SETUP as DOMAIN\\user: STATUS_LOGON_FAILURE (wrong user "
                                 "name or password)");
}

using enum signing_algorithm;
INSTANTIATE_TEST_SUITE_P(levels, Smb2ClientSessions,
                         testing::Values(level{dialect::smb_2_0_2, hmac_sha256, "smb202"},
                                         level{dialect::smb_2_1, hmac_sha256, "smb21"},
                                         level{dialect::smb_3_0, aes_cmac, "smb30"},
                                         level{dialect::smb_3_0_2, aes_cmac, "smb302"},
                                         level{dialect::smb_3_1_1, hmac_sha256, "smb311_hmac"},
                                         level{dialect::smb_3_1_1, aes_cmac, "smb311_cmac"},
                                         level{dialect::smb_3_1_1, aes_gmac, "smb311_gmac"}),
                         [](const testing::TestParamInfo<level>& chosen) {
                           return std::string(chosen.param.name);
                         });

TEST_F(Smb2Client, NoticesThatTheOfferWasCutToAnOldDialect) {
  options.dialect.reset();
  server.dialect = dialect::smb_2_1; // and it says so when it is asked again, with a key
  server.before = [&](const fake::request& r, fake::response&) {
    if (r.head.command == ioctl::number) server.dialect = dialect::smb_3_0_2;
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::not_secure) << text_of(result);
}

TEST_F(Smb2Client, SignsTheTreeConnectOf311EvenWhereNothingElseIsSigned) {
  options.dialect = server.dialect = dialect::smb_3_1_1;
  server.files["a"] = {};

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_TRUE(result) << text_of(result);
  for (const auto& r : server.seen)
    EXPECT_EQ(r.head.is_signed(), r.head.command == tree_connect::number);
}

} // namespace
} // namespace smb2
