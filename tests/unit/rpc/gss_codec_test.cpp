#include "rpc/gss_codec.hpp"
#include "tests/support/codec_checks.hpp"

namespace {

using namespace rpc;

std::vector<std::byte> load(std::string_view name) {
  return support::load_golden(support::golden_folder("rpc") / name).data;
}

TEST(GssCodec, PassesTheCodecBattery) {
  support::check_codec<gss_credential>(load("gss_credential.init.hex"));
  support::check_codec<gss_credential>(load("gss_credential.data.hex"));
  support::check_codec<gss_credential>(load("gss_credential.destroy.hex"));
  support::check_codec<gss_init_arg>(load("gss_init_arg.hex"));
  support::check_codec<gss_init_res>(load("gss_init_res.hex"));
  support::check_codec<gss_integ_data>(load("gss_integ_data.hex"));
  support::check_codec<gss_priv_data>(load("gss_priv_data.hex"));
}

TEST(GssCodec, ReadsACredential) {
  const auto data = load("gss_credential.data.hex");

  const auto credential = decode_exact<gss_credential>(data);

  ASSERT_TRUE(credential);
  EXPECT_EQ(credential->proc, gss_proc::data);
  EXPECT_EQ(credential->seq_num, 1u);
  EXPECT_EQ(credential->service, gss_service::integrity);
  EXPECT_EQ(credential->handle.size(), 16u);
}

TEST(GssCodec, KnowsOneVersion) {
  auto data = load("gss_credential.data.hex");
  wire::store_be(data.data(), 2u);

  const auto credential = decode_exact<gss_credential>(data);

  ASSERT_FALSE(credential);
  EXPECT_EQ(credential.error().code, wire::errc::bad_value);
}

TEST(GssCodec, ReadsWhatTheServerMakesOfAToken) {
  const auto data = load("gss_init_res.hex");

  const auto res = decode_exact<gss_init_res>(data);

  ASSERT_TRUE(res);
  EXPECT_EQ(res->major, gss_complete);
  EXPECT_EQ(res->seq_window, 32u);
  EXPECT_EQ(res->token.size(), 156u);
}

/// The longest credential that RFC 5531 lets through has the longest handle that we take.
TEST(GssCodec, FillsACredentialWithItsLongestHandle) {
  const std::vector<std::byte> handle(gss_handle_bytes_max);
  gss_credential credential;
  credential.handle = handle;

  EXPECT_EQ(encoded_size(credential), auth_body_bytes_max);
}

} // namespace
