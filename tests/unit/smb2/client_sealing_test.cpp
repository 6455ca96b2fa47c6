#include "tests/unit/smb2/client_fixture.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

using testing::HasSubstr;

struct how_sealed {
  const char* name;
  smb2::dialect revision;
  cipher algorithm;
};

class Smb2Sealing : public Smb2Client, public testing::WithParamInterface<how_sealed> {
 protected:
  void SetUp() override { seal_with(GetParam().revision, GetParam().algorithm); }

  void seal_with(smb2::dialect revision, cipher algorithm) {
    options.dialect = server.dialect = revision;
    server.capabilities |= capability::encryption;
    server.sealing = algorithm;
    if (algorithm != cipher::none && revision >= dialect::smb_3_1_1) options.ciphers = {algorithm};
    server.files["a"] = pattern(100'000);
  }

  /// Whether the requests were sealed, signed or neither: "s", "g" or "-", in their order.
  [[nodiscard]] std::string protection(bool of_the_share) const {
    std::string out;
    for (const auto& r : server.seen) {
      const bool in_share = r.head.tree_id != 0;
      if (r.head.command <= session_setup::number || in_share != of_the_share) continue;
      EXPECT_FALSE(r.sealed && r.head.is_signed());
      out.push_back(r.sealed ? 's' : r.head.is_signed() ? 'g' : '-');
    }
    return out;
  }

  /// A file written, read back and closed; an ECHO; LOGOFF.
  static awaitable<std::expected<session_facts, error>> visit(session_options options) {
    auto opened = co_await session::open(std::move(options));
    if (!opened) co_return std::unexpected(std::move(opened.error()));
    auto where = co_await tree::connect(*opened, "share");
    if (!where) co_return std::unexpected(std::move(where.error()));
    const auto data = pattern(70'000);
    auto out = co_await where->open("b", open_options::to_write());
    if (!out) co_return std::unexpected(std::move(out.error()));
    auto written = co_await out->write(0, data);
    if (!written) co_return std::unexpected(std::move(written.error()));
    std::vector<std::byte> back(data.size());
    auto got = co_await out->read(0, back);
    if (!got) co_return std::unexpected(std::move(got.error()));
    EXPECT_TRUE(back == data);
    auto closed = co_await out->close();
    if (!closed) co_return std::unexpected(std::move(closed.error()));
    auto echoed = co_await opened->echo();
    if (!echoed) co_return std::unexpected(std::move(echoed.error()));
    const auto facts = opened->facts();
    auto off = co_await opened->logoff();
    if (!off) co_return std::unexpected(std::move(off.error()));
    co_return facts;
  }

  [[nodiscard]] bool validates() const { return GetParam().revision < dialect::smb_3_1_1; }
  /// VALIDATE_NEGOTIATE_INFO is signed, or sealed, whatever the rest is.
  [[nodiscard]] std::string with_validation(char kind, const std::string& rest) const {
    return validates() ? kind + rest : rest;
  }
};

TEST_P(Smb2Sealing, SealsTheSessionThatTheCallerWantsSealed) {
  options.seal = sealing_policy::required;

  const auto facts = run_to_end(io, visit(options));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_TRUE(facts->seals);
  EXPECT_EQ(facts->sealing, GetParam().algorithm);
  EXPECT_EQ(protection(false), "sss") << "TREE_CONNECT, ECHO, LOGOFF";
  EXPECT_EQ(protection(true), with_validation('s', "ssss")) << "CREATE, WRITE, READ, CLOSE";
}

TEST_P(Smb2Sealing, SealsTheSessionThatTheServerWantsSealed) {
  server.seals_session = true;

  const auto facts = run_to_end(io, visit(options));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_TRUE(facts->seals);
  EXPECT_EQ(protection(false), "sss");
  EXPECT_EQ(protection(true), with_validation('s', "ssss"));
}

awaitable<std::expected<void, error>> renew(session_options options) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto renewed = co_await opened->renew();
  co_return renewed;
}

/// All but the first log-on, and that of further channels (MS-SMB2 3.2.4.1.8).
TEST_P(Smb2Sealing, SealsTheRenewalOfASealedSession) {
  options.seal = sealing_policy::required;

  const auto renewed = run_to_end(io, renew(options));

  ASSERT_TRUE(renewed) << renewed.error().text;
  std::vector<bool> sealed;
  for (const auto& r : server.seen)
    if (r.head.command == session_setup::number) sealed.push_back(r.sealed);
  EXPECT_THAT(sealed, testing::ElementsAre(false, false, true, true));
}

TEST_P(Smb2Sealing, SealsTheShareThatTheServerWantsSealed) {
  server.seals_share = true;

  const auto facts = run_to_end(io, visit(options));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_FALSE(facts->seals);
  EXPECT_EQ(protection(false), validates() ? "---" : "g--");
  EXPECT_EQ(protection(true), with_validation('s', "ssss"));
}

TEST_P(Smb2Sealing, SignsWhatIsOutsideOfTheSealedShare) {
  server.seals_share = true;
  options.sign = signing_policy::required;

  const auto facts = run_to_end(io, visit(options));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(protection(false), "ggg");
  EXPECT_EQ(protection(true), with_validation('s', "ssss"));
}

TEST_P(Smb2Sealing, SealsNothingThatNobodyWantsSealed) {
  const auto facts = run_to_end(io, visit(options));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_FALSE(facts->seals);
  EXPECT_EQ(protection(true), with_validation('g', "----"));
}

TEST_P(Smb2Sealing, IsRefusedToAServerThatDemandsItWhereItIsOff) {
  server.seals_session = true;
  server.sealing = cipher::none; // it was not offered
  options.seal = sealing_policy::off;
  options.ciphers.clear();

  const auto facts = run_to_end(io, visit(options));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, errc::not_secure);
  EXPECT_THAT(facts.error().text, HasSubstr("demands sealing, and no cipher was agreed on"));
  EXPECT_EQ(server.count(tree_connect::number), 0u);
}

TEST_P(Smb2Sealing, IsRefusedToAShareThatDemandsItWhereItIsOff) {
  server.seals_share = true;
  server.sealing = cipher::none;
  options.seal = sealing_policy::off;
  options.ciphers.clear();

  const auto facts = run_to_end(io, visit(options));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, errc::not_secure);
  EXPECT_THAT(facts.error().text,
              HasSubstr("the share demands sealing, and no cipher was agreed on"));
  EXPECT_EQ(server.count(create::number), 0u);
}

TEST_P(Smb2Sealing, RefusesAGuestOfASealedSession) {
  server.seals_session = true;
  server.as_guest = true;
  options.sec = login::guest;

  const auto facts = run_to_end(io, visit(options));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, errc::not_secure);
  EXPECT_THAT(facts.error().text, HasSubstr("a guest's messages cannot be sealed"));
}

using enum cipher;
INSTANTIATE_TEST_SUITE_P(
    all, Smb2Sealing,
    testing::Values(how_sealed{"smb30", dialect::smb_3_0, aes_128_ccm},
                    how_sealed{"smb302", dialect::smb_3_0_2, aes_128_ccm},
                    how_sealed{"smb311_ccm128", dialect::smb_3_1_1, aes_128_ccm},
                    how_sealed{"smb311_gcm128", dialect::smb_3_1_1, aes_128_gcm},
                    how_sealed{"smb311_ccm256", dialect::smb_3_1_1, aes_256_ccm},
                    how_sealed{"smb311_gcm256", dialect::smb_3_1_1, aes_256_gcm}),
    [](const auto& of) { return std::string(of.param.name); });

} // namespace
} // namespace smb2
