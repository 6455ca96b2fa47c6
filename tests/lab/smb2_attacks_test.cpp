// Somebody between the client and a real server: what tests/support/smb2_attacks.hpp lists, and
// what the server alone can notice. WIRETRIP_LAB_SMB names it, WIRETRIP_PASSWORD the password;
// without the first this is skipped.

#include "smb2/url.hpp"
#include "tests/support/smb2_attacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace smb2 {
namespace {

using support::frame_bytes;
using wire::net::run_to_end;

class smb2_attacks : public testing::Test {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB");
    if (url == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to";
    const char* password = std::getenv("WIRETRIP_PASSWORD");
    const auto parsed = parse_url(url);
    ASSERT_TRUE(parsed) << parsed.error();
    share = parsed->share;
    direct = options_of(*parsed, password == nullptr ? "wiretrip" : password);
    direct.connection.timeout = std::chrono::seconds(2);
    const auto address = asio::ip::make_address(parsed->host);
    const u16 port = parsed->port == 0 ? u16{445} : parsed->port;
    proxy = std::make_unique<support::smb2_proxy>(io, asio::ip::tcp::endpoint(address, port));
    options = direct;
    options.where.host = "127.0.0.1";
    options.where.port = proxy->port();
    file = "wiretrip-attack-" + std::to_string(std::random_device{}());
    content.resize(5000);
    std::ranges::generate(
        content, [random = std::mt19937{1}]() mutable { return static_cast<std::byte>(random()); });
  }

  void TearDown() override {
    if (!proxy) return;
    const auto removed = run_to_end(io, remove(direct, share, file));
    static_cast<void>(removed); // many attacks end before there is a file
  }

  static awaitable<std::expected<void, error>> remove(session_options options, std::string share,
                                                      std::string file) {
    auto opened = co_await session::open(std::move(options));
    if (!opened) co_return std::unexpected(std::move(opened.error()));
    auto where = co_await tree::connect(*opened, std::move(share));
    if (!where) co_return std::unexpected(std::move(where.error()));
    auto removed = co_await where->remove(std::move(file));
    co_return removed;
  }

  [[nodiscard]] std::expected<frame_bytes, error> visit() {
    return run_to_end(io, support::visit(options, share, file, content));
  }

  asio::io_context io;
  std::unique_ptr<support::smb2_proxy> proxy;
  session_options direct;
  session_options options; ///< through the proxy
  std::string share;
  std::string file;
  frame_bytes content;
};

class smb2_attacks_on : public smb2_attacks, public testing::WithParamInterface<support::attack> {
 protected:
  void SetUp() override {
    smb2_attacks::SetUp();
    if (IsSkipped()) return;
    options.dialects = GetParam().dialects;
    options.sign = GetParam().policy.sign;
    options.seal = GetParam().policy.seal;
    if (GetParam().code == errc::timed_out)
      options.connection.timeout = std::chrono::milliseconds(300);
  }
};

TEST_P(smb2_attacks_on, EndWithTheRightErrorAndNoData) {
  GetParam().install(*proxy);

  const auto start = wire::net::now();
  const auto got = visit();
  const auto took = wire::net::now() - start;

  ASSERT_FALSE(got) << "the client has noticed nothing";
  EXPECT_LT(took, 2 * options.connection.timeout) << "it has waited for what never comes";
  EXPECT_EQ(got.error().code, GetParam().code) << got.error().text;
  EXPECT_THAT(got.error().text, testing::HasSubstr(std::string(GetParam().sentence)));
}

TEST_P(smb2_attacks_on, AreWhatTheClientNotices) {
  const auto got = visit();

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(*got, content);
}

INSTANTIATE_TEST_SUITE_P(all, smb2_attacks_on, testing::ValuesIn(support::all_attacks()),
                         [](const auto& of) { return std::string(of.param.name); });

// --- what the server has to notice ---------------------------------------------------------------

TEST_F(smb2_attacks, ARequestThatWasChangedIsNotDone) {
  options.sign = signing_policy::required;
  support::attacks::on_request<write>(*proxy, [](auto& frame) { frame.back() ^= std::byte{1}; });

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().text, testing::HasSubstr("WRITE"));
  RecordProperty("error", got.error().text);
}

TEST_F(smb2_attacks, ASealedRequestThatWasChangedIsNotDone) {
  options.seal = sealing_policy::required;
  proxy->from_client = [](support::passing& p) {
    for (auto& frame : p.onward)
      if (support::attacks::is_sealed(frame)) frame.back() ^= std::byte{1};
  };

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::outcome_unknown) << got.error().text;
}

TEST_F(smb2_attacks, ARequestThatIsReplayedEndsTheConnection) {
  options.sign = signing_policy::required;
  proxy->from_client = [](support::passing& p) {
    if (support::attacks::is(p.onward.front(), write::number)) p.onward.push_back(p.onward.front());
  };

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::outcome_unknown) << got.error().text;
}

TEST_F(smb2_attacks, ASealedRequestThatIsReplayedEndsTheConnection) {
  options.seal = sealing_policy::required;
  proxy->from_client = [](support::passing& p) {
    if (support::attacks::is_sealed(p.onward.front())) p.onward.push_back(p.onward.front());
  };

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::outcome_unknown) << got.error().text;
}

} // namespace
} // namespace smb2
