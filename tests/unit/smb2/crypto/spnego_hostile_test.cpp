// What a server may not do to the client: cut tokens, and tokens with any bit changed.
#include "auth_support.hpp"
#include "smb2/auth/error.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;

constexpr auto samba_offer = "604806062b0601050502a03e303ca00e300c060a2b06010401823702020aa32a3028"
                             "a0261b246e6f745f646566696e65645f696e5f5246433431373840706c656173655f"
                             "69676e6f7265";
TEST(SpnegoClientHostileServer, RefusesEveryTruncationOfTheServersTokens) {
  const auto offer = hex(samba_offer);
  for (std::size_t n = 1; n < offer.size(); ++n) {
    auto client = sample_client();
    EXPECT_EQ(error_of(client.step(bytes(offer).first(n))), errc::malformed_token) << n;
  }

  auto probe = sample_client();
  spnego_server server;
  const auto challenge = server.first(probe.step({}).value());
  const auto last = server.last(probe.step(challenge).value());
  for (std::size_t n = 1; n < challenge.size(); ++n) {
    auto client = sample_client();
    ASSERT_TRUE(client.step({}).has_value());
    EXPECT_EQ(error_of(client.step(bytes(challenge).first(n))), errc::malformed_token) << n;
  }
  for (std::size_t n = 1; n < last.size(); ++n) {
    auto client = sample_client();
    ASSERT_TRUE(client.step({}).has_value());
    ASSERT_TRUE(client.step(challenge).has_value());
    EXPECT_EQ(error_of(client.step(bytes(last).first(n))), errc::malformed_token) << n;
  }
}

TEST(SpnegoClientHostileServer, SurvivesEveryFlippedBitOfTheServersTokens) {
  auto probe = sample_client();
  spnego_server server;
  const auto challenge = server.first(probe.step({}).value());
  const auto last = server.last(probe.step(challenge).value());

  // A changed last token is never taken: what it says is covered by the MIC, or is no DER. The
  // state alone is not; but then the exchange does not end well either.
  for (std::size_t bit = 0; bit < last.size() * 8; ++bit) {
    auto bad = last;
    bad[bit / 8] ^= std::byte(1u << (bit % 8));
    auto client = sample_client();
    ASSERT_TRUE(client.step({}).has_value());
    ASSERT_TRUE(client.step(challenge).has_value());
    static_cast<void>(client.step(bad));
    if (client.done()) {
      // Only a bit that turns mechListMIC into an extension leaves an acceptance behind, and that
      // is the one without a MIC which the RFC allows.
      const auto decoded = decode_spnego<neg_token_resp>(bad);
      ASSERT_TRUE(decoded.has_value());
      EXPECT_FALSE(decoded->mech_list_mic.has_value()) << bit;
    }
  }
}

} // namespace
