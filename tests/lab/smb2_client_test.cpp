// The SMB2 client against a real server: every dialect and every signing algorithm.
// WIRETRIP_LAB_SMB names it ("smb://wiretrip@198.18.1.2/export"), WIRETRIP_PASSWORD the password;
// without the first all of this is skipped.

#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace smb2 {
namespace {

using wire::net::run_to_end;

struct collecting_sink final : wire::exchange_sink {
  std::vector<wire::exchange> seen;
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }

  [[nodiscard]] std::size_t count(u16 command) const {
    return static_cast<std::size_t>(std::ranges::count(seen, command, &wire::exchange::operation));
  }
};

std::vector<std::byte> pattern(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> out(size);
  for (auto& b : out)
    b = static_cast<std::byte>(random());
  return out;
}

/// Whether what a co_return gave is a value; else the test fails with the sentence.
template <class T>
testing::AssertionResult good(const std::expected<T, error>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().text;
}

class smb2_lab : public testing::Test {
 protected:
  void SetUp() override {
    const char* url = std::getenv("WIRETRIP_LAB_SMB");
    if (url == nullptr)
      GTEST_SKIP() << "WIRETRIP_LAB_SMB is not set: no SMB server to talk to "
                      "(bench/lab/lab exec sets the scene)";
    const char* password = std::getenv("WIRETRIP_PASSWORD");
    auto parsed = parse_url(url);
    ASSERT_TRUE(parsed) << parsed.error();
    from = *parsed;
    options = options_of(from, password == nullptr ? "wiretrip" : password);
    options.connection.sink = &sink;
    options.connection.timeout = std::chrono::seconds(10);
    folder = "wiretrip-lab-" + std::to_string(std::random_device{}());
  }

  url from;
  session_options options;
  collecting_sink sink;
  std::string folder;
  asio::io_context io;
};

/// Writes, reads back, lists and removes a file of `size` bytes.
awaitable<std::expected<void, error>> round(tree where, std::string name, std::size_t size) {
  const auto data = pattern(size);
  auto out = co_await where.open(name, open_options::to_write());
  if (!out) co_return std::unexpected(out.error());
  auto written = co_await out->write(0, data);
  if (!written) co_return std::unexpected(written.error());
  auto flushed = co_await out->flush();
  if (!flushed) co_return std::unexpected(flushed.error());
  auto closed = co_await out->close();
  if (!closed) co_return std::unexpected(closed.error());

  auto in = co_await where.open(name, open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  EXPECT_EQ(in->facts().size, size);
  std::vector<std::byte> back(size + 100);
  auto got = co_await in->read(0, back);
  if (!got) co_return std::unexpected(got.error());
  EXPECT_EQ(*got, size);
  back.resize(size);
  EXPECT_TRUE(back == data);
  auto facts = co_await in->query<file_standard_information>();
  if (!facts) co_return std::unexpected(facts.error());
  EXPECT_EQ(facts->end_of_file, size);
  auto again = co_await in->close();
  if (!again) co_return std::unexpected(again.error());
  auto removed = co_await where.remove(name);
  co_return removed;
}

awaitable<std::expected<session_facts, error>> visit(session_options options, std::string share,
                                                     std::string folder) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  auto entered = co_await tree::connect(*opened, share);
  if (!entered) co_return std::unexpected(entered.error());
  auto& where = *entered;
  auto made = co_await where.make_directory(folder);
  if (!made) co_return std::unexpected(made.error());

  for (const std::size_t size : {std::size_t{0}, std::size_t{10'240}, std::size_t{3'145'728}}) {
    auto done = co_await round(where, folder + "/a file", size);
    if (!done) co_return std::unexpected(done.error());
  }

  open_options create_new = open_options::to_write();
  create_new.access |= access::remove;
  auto one = co_await where.open(folder + "/\xC3\xA4-one", create_new);
  if (!one) co_return std::unexpected(one.error());
  file_end_of_file_information size;
  size.end_of_file = 77;
  auto resized = co_await one->set(size);
  if (!resized) co_return std::unexpected(resized.error());
  auto closed = co_await one->close();
  if (!closed) co_return std::unexpected(closed.error());
  auto renamed = co_await where.rename(folder + "/\xC3\xA4-one", folder + "/two");
  if (!renamed) co_return std::unexpected(renamed.error());
  auto entries = co_await where.list(folder);
  if (!entries) co_return std::unexpected(entries.error());
  EXPECT_EQ(entries->size(), 1u);
  if (!entries->empty()) {
    EXPECT_EQ(entries->front().name, "two");
    EXPECT_EQ(entries->front().facts.size, 77u);
    EXPECT_FALSE(entries->front().facts.is_directory());
  }
  auto gone = co_await where.remove(folder + "/two");
  if (!gone) co_return std::unexpected(gone.error());
  auto emptied = co_await where.remove_directory(folder);
  if (!emptied) co_return std::unexpected(emptied.error());
  auto left = co_await where.disconnect();
  if (!left) co_return std::unexpected(left.error());
  const auto facts = opened->facts();
  auto off = co_await opened->logoff();
  if (!off) co_return std::unexpected(off.error());
  co_return facts;
}

struct security {
  const char* name;
  smb2::dialect dialect;
  signing_policy sign;
  std::vector<signing_algorithm> offered;
  signing_algorithm expected;
};

class smb2_lab_dialects : public smb2_lab, public testing::WithParamInterface<security> {};

TEST_P(smb2_lab_dialects, WritesReadsListsAndRemovesFiles) {
  const auto& want = GetParam();
  options.dialect = want.dialect;
  options.sign = want.sign;
  options.signing_algorithms = want.offered;

  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_TRUE(good(facts));
  EXPECT_EQ(facts->dialect, want.dialect);
  EXPECT_EQ(facts->signs, want.sign == signing_policy::required);
  EXPECT_EQ(facts->algorithm, want.expected);
  const bool validates = want.dialect == dialect::smb_3_0 || want.dialect == dialect::smb_3_0_2;
  EXPECT_EQ(sink.count(ioctl::number), validates ? 1u : 0u);
  for (const auto& e : sink.seen) {
    EXPECT_TRUE(e.replied);
    EXPECT_FALSE(e.failed) << commands::name(e.operation) << " " << name_of_status(e.status);
    EXPECT_LE(e.t.submitted, e.t.granted);
    EXPECT_LE(e.t.granted, e.t.encoded);
    EXPECT_LE(e.t.encoded, e.t.q0);
    EXPECT_LE(e.t.q0, e.t.q1);
    EXPECT_LE(e.t.q1, e.t.r0);
    EXPECT_LE(e.t.r0, e.t.r1);
    EXPECT_LE(e.t.r1, e.t.completed);
  }
}

using enum signing_algorithm;
INSTANTIATE_TEST_SUITE_P(
    all, smb2_lab_dialects,
    testing::Values(
        security{"smb202", dialect::smb_2_0_2, signing_policy::automatic, {}, hmac_sha256},
        security{"smb202_signed", dialect::smb_2_0_2, signing_policy::required, {}, hmac_sha256},
        security{"smb21", dialect::smb_2_1, signing_policy::automatic, {}, hmac_sha256},
        security{"smb21_signed", dialect::smb_2_1, signing_policy::required, {}, hmac_sha256},
        security{"smb30", dialect::smb_3_0, signing_policy::automatic, {}, aes_cmac},
        security{"smb30_signed", dialect::smb_3_0, signing_policy::required, {}, aes_cmac},
        security{"smb302_signed", dialect::smb_3_0_2, signing_policy::required, {}, aes_cmac},
        security{"smb311", dialect::smb_3_1_1, signing_policy::automatic, {}, aes_gmac},
        security{"smb311_gmac", dialect::smb_3_1_1, signing_policy::required, {}, aes_gmac},
        security{"smb311_cmac", dialect::smb_3_1_1, signing_policy::required, {aes_cmac}, aes_cmac},
        security{"smb311_hmac",
                 dialect::smb_3_1_1,
                 signing_policy::required,
                 {hmac_sha256},
                 hmac_sha256}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

struct sealed {
  const char* name;
  smb2::dialect dialect;
  std::vector<cipher> offered;
  cipher expected;
};

class smb2_lab_ciphers : public smb2_lab, public testing::WithParamInterface<sealed> {};

TEST_P(smb2_lab_ciphers, WritesReadsListsAndRemovesFiles) {
  const auto& want = GetParam();
  options.dialect = want.dialect;
  options.seal = sealing_policy::required;
  options.ciphers = want.offered;

  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_TRUE(good(facts));
  EXPECT_TRUE(facts->seals);
  EXPECT_EQ(facts->sealing, want.expected);
  for (const auto& e : sink.seen)
    EXPECT_FALSE(e.failed) << commands::name(e.operation) << " " << name_of_status(e.status);
}

using enum cipher;
INSTANTIATE_TEST_SUITE_P(
    all, smb2_lab_ciphers,
    testing::Values(sealed{"smb30", dialect::smb_3_0, {}, aes_128_ccm},
                    sealed{"smb302", dialect::smb_3_0_2, {}, aes_128_ccm},
                    sealed{"smb311", dialect::smb_3_1_1, {}, aes_128_gcm},
                    sealed{"smb311_ccm128", dialect::smb_3_1_1, {aes_128_ccm}, aes_128_ccm},
                    sealed{"smb311_ccm256", dialect::smb_3_1_1, {aes_256_ccm}, aes_256_ccm},
                    sealed{"smb311_gcm256", dialect::smb_3_1_1, {aes_256_gcm}, aes_256_gcm}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_F(smb2_lab, SaysThatAnOldDialectCannotSeal) {
  options.dialect = dialect::smb_2_1;
  options.seal = sealing_policy::required;

  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, errc::not_secure);
  EXPECT_NE(facts.error().text.find("sealing is required"), std::string::npos)
      << facts.error().text;
}

TEST_F(smb2_lab, TakesTheBestDialectWhenNoneIsNamed) {
  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_TRUE(good(facts));
  EXPECT_EQ(facts->dialect, dialect::smb_3_1_1);
}

TEST_F(smb2_lab, SaysThatThePasswordIsWrong) {
  options.who.password = "not this one";

  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().text, "SESSION_SETUP as " + from.user +
                                    ": STATUS_LOGON_FAILURE (wrong user name or password)");
}

TEST_F(smb2_lab, SaysThatThereIsNoSuchShare) {
  const auto facts = run_to_end(io, visit(options, "nope", folder));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().text,
            "TREE_CONNECT \\\\" + from.host + "\\nope: STATUS_BAD_NETWORK_NAME (no such share)");
}

awaitable<std::expected<void, error>> open_missing(session_options options, std::string share) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  auto entered = co_await tree::connect(*opened, share);
  if (!entered) co_return std::unexpected(entered.error());
  auto missing = co_await entered->open("no/such/file", open_options::to_read());
  if (!missing) co_return std::unexpected(missing.error());
  co_return std::expected<void, error>{};
}

TEST_F(smb2_lab, SaysThatThereIsNoSuchFile) {
  const auto result = run_to_end(io, open_missing(options, from.share));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "CREATE no/such/file: STATUS_OBJECT_PATH_NOT_FOUND (no such directory)");
  EXPECT_EQ(result.error().code, std::errc::no_such_file_or_directory);
}

awaitable<std::expected<wire::exchange, error>>
wait_for_change(session_options options, std::string share, std::string folder) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  auto entered = co_await tree::connect(*opened, share);
  if (!entered) co_return std::unexpected(entered.error());
  auto made = co_await entered->make_directory(folder);
  if (!made) co_return std::unexpected(made.error());
  open_options listing;
  listing.create_options = create_option::directory_file;
  auto dir = co_await entered->open(folder, listing);
  if (!dir) co_return std::unexpected(dir.error());

  change_notify::request request;
  request.file = dir->id();
  request.output_buffer_length = 4096;
  request.completion_filter = 0x0000'0003; // file and directory names
  auto& calls = opened->connection();
  call_options where = opened->state()->call(entered->state()->id);
  where.timeout = std::chrono::milliseconds(300);
  auto quiet = co_await calls.call<change_notify>(request, where);
  EXPECT_FALSE(quiet);
  if (!quiet) {
    EXPECT_EQ(quiet.error().code, errc::timed_out);
  }

  // The call that timed out was given up with CANCEL; its late response must not confuse anybody.
  auto echoed = co_await opened->echo();
  if (!echoed) co_return std::unexpected(echoed.error());
  EXPECT_EQ(calls.counters().cancels, 1u);
  auto closed = co_await dir->close();
  if (!closed) co_return std::unexpected(closed.error());
  EXPECT_EQ(calls.counters().interim_responses, 1u);
  EXPECT_EQ(calls.counters().late_responses, 1u);
  auto gone = co_await entered->remove_directory(folder);
  if (!gone) co_return std::unexpected(gone.error());
  co_return *echoed;
}

TEST_F(smb2_lab, GivesUpACallThatThePendingServerNeverAnswers) {
  options.sign = signing_policy::required;

  const auto result = run_to_end(io, wait_for_change(options, from.share, folder));

  ASSERT_TRUE(good(result));
  EXPECT_EQ(result->operation, echo::number);
}

TEST_F(smb2_lab, SaysThatNobodyListensThere) {
  options.where.port = 9; // discard

  const auto facts = run_to_end(io, visit(options, from.share, folder));

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().text, "cannot connect to " + from.host + ":9: Connection refused");
}

} // namespace
} // namespace smb2
