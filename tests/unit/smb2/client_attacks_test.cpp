// Somebody between the client and its server: see tests/support/smb2_attacks.hpp. The same attacks
// are made on a real server in tests/lab/smb2_attacks_test.cpp.
#include "tests/support/smb2_attacks.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

class Smb2Attacks : public Smb2Client, public testing::WithParamInterface<support::attack> {
 protected:
  void SetUp() override {
    const auto& by = GetParam();
    server.dialect = by.agreed;
    server.capabilities = capability::large_mtu;
    if (by.agreed >= dialect::smb_3_0) server.capabilities |= capability::encryption;
    if (by.agreed >= dialect::smb_3_0)
      server.sealing = by.agreed >= dialect::smb_3_1_1 ? cipher::aes_128_gcm : cipher::aes_128_ccm;
    options.where.port = proxy.port();
    options.dialect.reset();
    options.dialects = by.dialects;
    options.sign = by.policy.sign;
    options.seal = by.policy.seal;
    options.connection.timeout = std::chrono::milliseconds(300);
  }

  [[nodiscard]] std::expected<support::frame_bytes, error> visit() {
    const auto work = pattern(5000);
    return run_to_end(io, support::visit(options, "share", "a", work));
  }

  support::smb2_proxy proxy{io, {asio::ip::address_v4::loopback(), server.port()}};
};

TEST_P(Smb2Attacks, EndWithTheRightErrorAndNoData) {
  GetParam().install(proxy);

  const auto start = wire::net::now();
  const auto got = visit();
  const auto took = wire::net::now() - start;

  ASSERT_FALSE(got) << "the client has noticed nothing";
  EXPECT_LT(took, 2 * options.connection.timeout) << "it has waited for what never comes";
  EXPECT_EQ(got.error().code, GetParam().code) << got.error().text;
  EXPECT_THAT(got.error().text, testing::HasSubstr(std::string(GetParam().sentence)));
}

/// Without the attack the same session works: what was noticed was the attack.
TEST_P(Smb2Attacks, AreWhatTheClientNotices) {
  server.dialect = GetParam().dialects.back();
  if (server.dialect >= dialect::smb_3_0) server.capabilities |= capability::encryption;
  if (server.dialect >= dialect::smb_3_1_1) server.sealing = cipher::aes_128_gcm;

  const auto got = visit();

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(*got, pattern(5000));
}

INSTANTIATE_TEST_SUITE_P(all, Smb2Attacks, testing::ValuesIn(support::all_attacks()),
                         [](const auto& of) { return std::string(of.param.name); });

} // namespace
} // namespace smb2
