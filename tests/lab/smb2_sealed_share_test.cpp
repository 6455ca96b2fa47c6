// A server of which one share demands sealing (smb-sealed-share.conf) and the other does not.
// WIRETRIP_LAB_SMB_SEALED names that share ("smb://wiretrip@198.18.1.2/sealed"); without it all of
// this is skipped.

#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace smb2 {
namespace {

using done = std::expected<void, error>;
using testing::HasSubstr;
using wire::net::run_to_end;

constexpr auto open_share = "export";

class smb2_sealed_share : public testing::TestWithParam<dialect> {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB_SEALED");
    if (url == nullptr) GTEST_SKIP() << "WIRETRIP_LAB_SMB_SEALED is not set: no server to talk to";
    const auto parsed = parse_url(url);
    ASSERT_TRUE(parsed) << parsed.error();
    share = parsed->share;
    options = options_of(*parsed, "wiretrip");
    options.connection.timeout = std::chrono::seconds(10);
    file = "wiretrip-sealed-" + std::to_string(std::random_device{}());
  }

  session_options options;
  std::string share;
  std::string file;
  asio::io_context io;
};

awaitable<done> live(tree where, std::string name) {
  const std::vector<std::byte> data(100'000, std::byte{'s'});
  auto out = co_await where.open(name, open_options::to_write());
  if (!out) co_return std::unexpected(std::move(out.error()));
  auto written = co_await out->write(0, data);
  if (!written) co_return written;
  auto closed = co_await out->close();
  if (!closed) co_return closed;
  auto in = co_await where.open(name, open_options::to_read());
  if (!in) co_return std::unexpected(std::move(in.error()));
  std::vector<std::byte> back(data.size());
  auto got = co_await in->read(0, back);
  if (!got) co_return std::unexpected(std::move(got.error()));
  EXPECT_TRUE(back == data);
  auto again = co_await in->close();
  if (!again) co_return again;
  auto removed = co_await where.remove(name);
  co_return removed;
}

/// CREATE, QUERY_INFO and CLOSE of the share itself in one sealed frame.
awaitable<done> compound(tree where) {
  create::request open;
  open.desired_access = access::read_attributes;
  open.share_access = share_access::all;
  open.create_options = create_option::directory_file;
  query_info::request ask;
  ask.file_info_class = file_standard_information::info_class;
  ask.output_buffer_length = 64;
  ask.file = fileid::of_previous();
  close::request end;
  end.file = fileid::of_previous();
  auto [opened, asked, closed] = co_await where.compound(open, ask, end);
  if (!opened) co_return std::unexpected(opened.error());
  if (!asked) co_return std::unexpected(asked.error());
  if (!closed) co_return std::unexpected(closed.error());
  EXPECT_EQ(opened->status, status::success);
  EXPECT_EQ(asked->status, status::success);
  EXPECT_EQ(closed->status, status::success);
  co_return done{};
}

awaitable<done> in_both(session_options options, std::string share, std::string file) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  const auto& counters = opened->connection().counters();
  EXPECT_FALSE(opened->facts().seals);
  auto plain = co_await tree::connect(*opened, open_share);
  if (!plain) co_return std::unexpected(std::move(plain.error()));
  auto lived = co_await live(*plain, file);
  if (!lived) co_return lived;
  auto secret = co_await tree::connect(*opened, std::move(share));
  if (!secret) co_return std::unexpected(std::move(secret.error()));
  EXPECT_EQ(counters.sealed_messages, 0u);
  const auto calls = counters.calls;
  auto lived_sealed = co_await live(*secret, file);
  if (!lived_sealed) co_return lived_sealed;
  EXPECT_EQ(counters.sealed_messages, counters.calls - calls);
  const auto before = counters.sealed_messages;
  auto together = co_await compound(*secret);
  if (!together) co_return together;
  EXPECT_EQ(counters.sealed_messages, before + 1) << "a compound is sealed as one";
  auto echoed = co_await opened->echo();
  if (!echoed) co_return std::unexpected(std::move(echoed.error()));
  EXPECT_EQ(counters.sealed_messages, before + 1) << "the session is not sealed";
  auto off = co_await opened->logoff();
  co_return off;
}

TEST_P(smb2_sealed_share, SealsWhatConcernsTheShareAndNothingElse) {
  options.dialect = GetParam();

  const auto result = run_to_end(io, in_both(options, share, file));

  ASSERT_TRUE(result) << result.error().text;
}

TEST_P(smb2_sealed_share, SealsThereWhatElsewhereIsSigned) {
  options.dialect = GetParam();
  options.sign = signing_policy::required;

  const auto result = run_to_end(io, in_both(options, share, file));

  ASSERT_TRUE(result) << result.error().text;
}

INSTANTIATE_TEST_SUITE_P(all, smb2_sealed_share,
                         testing::Values(dialect::smb_3_0, dialect::smb_3_0_2, dialect::smb_3_1_1),
                         [](const auto& of) {
                           std::string name = "smb" + std::string(to_string(of.param));
                           std::erase(name, '.');
                           return name;
                         });

awaitable<done> enter(session_options options, std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto where = co_await tree::connect(*opened, std::move(share));
  if (!where) co_return std::unexpected(std::move(where.error()));
  co_return done{};
}

TEST_F(smb2_sealed_share, IsClosedToWhoCannotSeal) {
  auto old = options;
  old.dialect = dialect::smb_2_1;
  auto off = options;
  off.seal = sealing_policy::off;
  for (const auto& one : {old, off}) {
    const auto result = run_to_end(io, enter(one, share));

    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().text, HasSubstr("TREE_CONNECT"));
    EXPECT_THAT(result.error().text, HasSubstr("STATUS_ACCESS_DENIED"));
  }
}

/// What would happen if the client forgot to seal.
awaitable<std::expected<u32, error>> create_in_the_clear(session_options options,
                                                         std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto where = co_await tree::connect(*opened, std::move(share));
  if (!where) co_return std::unexpected(std::move(where.error()));
  create::request request;
  request.desired_access = access::read_attributes;
  request.share_access = share_access::all;
  const auto how = opened->state()->call(where->state()->id, true);
  auto got = co_await opened->connection().call<create>(request, how);
  if (!got) co_return std::unexpected(std::move(got.error()));
  co_return got->status;
}

TEST_F(smb2_sealed_share, RefusesWhatComesInTheClear) {
  const auto code = run_to_end(io, create_in_the_clear(options, share));

  ASSERT_TRUE(code) << code.error().text;
  EXPECT_EQ(*code, status::access_denied);
}

} // namespace
} // namespace smb2
