// The SMB2 client against a server that requires signing and knows AES-256-GCM alone
// (smb-strict.conf). WIRETRIP_LAB_SMB_STRICT names it ("smb://wiretrip@198.18.1.2/export"); without
// it all of this is skipped.

#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace smb2 {
namespace {

using testing::HasSubstr;
using wire::net::run_to_end;

class smb2_strict_lab : public testing::Test {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB_STRICT");
    if (url == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_SMB_STRICT is not set: no server to talk to";
    base = url;
  }

  /// The session that such options of the URL give.
  [[nodiscard]] session_options with(const std::string& options) const {
    const auto parsed = parse_url(base + options);
    EXPECT_TRUE(parsed) << parsed.error();
    return options_of(*parsed, "wiretrip");
  }

  std::string base;
  asio::io_context io;
};

awaitable<std::expected<session_facts, error>> visit(session_options options, std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  const auto facts = opened->facts();
  if (!share.empty()) {
    auto entered = co_await tree::connect(*opened, share);
    if (!entered) co_return std::unexpected(entered.error());
    auto listed = co_await entered->list("");
    if (!listed) co_return std::unexpected(listed.error());
  }
  auto off = co_await opened->logoff();
  if (!off) co_return std::unexpected(off.error());
  co_return facts;
}

TEST_F(smb2_strict_lab, SignsOnEveryDialectThoughNobodyAskedForIt) {
  for (const auto* dialect : {"2.0.2", "2.1", "3.1.1"}) {
    const auto facts = run_to_end(io, visit(with(std::string("?dialect=") + dialect), "export"));

    ASSERT_TRUE(facts) << facts.error().text;
    EXPECT_TRUE(facts->signs) << dialect;
    EXPECT_EQ(to_string(facts->dialect), dialect);
  }
}

TEST_F(smb2_strict_lab, RefusesAServerThatRequiresWhatWasTurnedOff) {
  const auto facts = run_to_end(io, visit(with("?sign=off"), "export"));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, errc::not_secure);
  EXPECT_THAT(facts.error().text, HasSubstr("it requires signing, which sign=off rules out"));
}

TEST_F(smb2_strict_lab, SealsWithTheOnlyCipherThatTheServerHas) {
  const auto facts = run_to_end(io, visit(with("?seal=required"), "export"));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->dialect, dialect::smb_3_1_1);
}

/// Signing is required of those who can.
TEST_F(smb2_strict_lab, LetsAGuestInUnsigned) {
  auto options = with("?sec=guest");
  options.who.user = "nobody-here";

  const auto facts = run_to_end(io, visit(options, {}));

  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_TRUE(facts->guest);
  EXPECT_FALSE(facts->signs);
}

} // namespace
} // namespace smb2
