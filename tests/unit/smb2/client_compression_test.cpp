#include "smb2/policy.hpp"
#include "tests/support/smb2_compressor.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

using enum compression_algorithm;
using testing::HasSubstr;

std::vector<std::byte> text(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<std::byte>(i / 100 % 7 == 0 ? i : 'a');
  return out;
}

struct visited {
  session_facts facts;
  std::vector<std::byte> content;
  u64 decompressed = 0;
};

awaitable<std::expected<visited, error>> read_all(session_options options, std::string path,
                                                  std::size_t size) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto where = co_await tree::connect(*opened, "share");
  if (!where) co_return std::unexpected(std::move(where.error()));
  auto in = co_await where->open(path, open_options::to_read());
  if (!in) co_return std::unexpected(std::move(in.error()));
  visited out;
  out.content.resize(size);
  auto got = co_await in->read(0, out.content);
  if (!got) co_return std::unexpected(std::move(got.error()));
  out.content.resize(*got);
  out.facts = opened->facts();
  out.decompressed = opened->connection().counters().decompressed_messages;
  co_return out;
}

class Smb2Compression : public Smb2Client {
 protected:
  Smb2Compression() {
    options.dialect = server.dialect = dialect::smb_3_1_1;
    options.compression = compression_algorithms();
    compression_capabilities chosen;
    chosen.flags = compression_capabilities::flag_chained;
    chosen.algorithms = {lz77, pattern_v1};
    server.compression = chosen;
    server.files["a"] = text(200'000);
    server.compress = [](const fake::request& r, std::vector<std::byte> message) {
      const bool asked = r.head.command == read::number &&
                         (r.body<read>().flags & read::flag_request_compressed) != 0;
      return asked ? support::compress_chained(message, 80) : std::move(message);
    };
  }

  [[nodiscard]] std::expected<visited, error> visit() {
    return run_to_end(io, read_all(options, "a", 200'000));
  }

  void expect_all() {
    const auto got = visit();
    ASSERT_TRUE(got) << got.error().text;
    EXPECT_TRUE(got->content == server.files["a"]);
    EXPECT_GT(got->decompressed, 0u);
    EXPECT_EQ(got->facts.compression,
              (compression_agreement{.algorithms = {lz77, pattern_v1}, .chained = true}));
  }
};

TEST_F(Smb2Compression, TakesCompressedData) {
  expect_all();
}

TEST_F(Smb2Compression, TakesCompressedDataThatIsSigned) {
  options.sign = signing_policy::required;
  expect_all();
}

TEST_F(Smb2Compression, TakesCompressedDataThatIsSealed) {
  server.sealing = cipher::aes_128_gcm;
  options.seal = sealing_policy::required;
  expect_all();
}

TEST_F(Smb2Compression, TakesWhatIsNotChained) {
  options.chained_compression = false;
  server.compression->flags = 0;
  server.compression->algorithms = {lz77};
  server.compress = [](const fake::request& r, std::vector<std::byte> message) {
    return r.head.command > session_setup::number ? support::compress_lz77(message)
                                                  : std::move(message);
  };

  const auto got = visit();

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->content == server.files["a"]);
  EXPECT_FALSE(got->facts.compression.chained);
}

TEST_F(Smb2Compression, DoesWithoutWhereTheServerDoesNotCompress) {
  server.compression.reset();

  const auto got = visit();

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->facts.compression.algorithms.empty());
  EXPECT_EQ(got->decompressed, 0u);
}

TEST_F(Smb2Compression, DoesWithoutWhereTheServerHasNoneOfThoseOffered) {
  server.compression->flags = 0;
  server.compression->algorithms = {none};

  const auto got = visit();

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->facts.compression.algorithms.empty());
}

TEST_F(Smb2Compression, IsNotOfferedUnlessAskedFor) {
  options.compression.clear();
  server.compression.reset();
  server.compress = nullptr;

  ASSERT_TRUE(visit());

  const auto offer = server.seen.front().body<negotiate>();
  EXPECT_EQ(std::ranges::count(offer.contexts, context_type::compression, &negotiate_context::type),
            0);
  for (const auto& r : server.seen) {
    if (r.head.command != read::number) continue;
    EXPECT_EQ(r.body<read>().flags, 0);
  }
}

TEST_F(Smb2Compression, RefusesAChoiceThatWasNotOffered) {
  const compression_capabilities choices[] = {
      {.flags = 0, .algorithms = {}},
      {.flags = 0, .algorithms = {lznt1}},
      {.flags = 0, .algorithms = {lz77, lz77}},
      {.flags = compression_capabilities::flag_chained, .algorithms = {lz77}},
      {.flags = 0, .algorithms = {static_cast<compression_algorithm>(9)}},
  };
  options.compression = {lz77, lz4};
  options.chained_compression = false;
  for (const auto& choice : choices) {
    server.compression = choice;

    const auto got = visit();

    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, errc::bad_response);
    EXPECT_THAT(got.error().text, HasSubstr("it chose compression that was not offered"));
  }
}

TEST_F(Smb2Compression, RefusesCompressionThatNobodyAskedFor) {
  options.compression.clear();

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::bad_response);
}

/// MaxReadSize of the fake server is 1 MiB: a message of more cannot be meant (3.2.5.1.1.2).
TEST_F(Smb2Compression, EndsAtABomb) {
  server.compress = [](const fake::request& r, std::vector<std::byte> message) {
    if (r.head.command != read::number) return message;
    constexpr u32 size = (1 << 20) + 256 + 16 + 1;
    return support::chain_of(
        size, {{0, message, {}},
               support::pattern_payload(std::byte{'x'}, size - static_cast<u32>(message.size()))});
  };

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::outcome_unknown);
  EXPECT_THAT(got.error().text, HasSubstr("READ to 127.0.0.1"));
  EXPECT_THAT(got.error().text, HasSubstr("the server sent a compressed message that cannot be "
                                          "used"));
}

TEST_F(Smb2Compression, CannotBeAskedForBelow311) {
  options.dialect = dialect::smb_3_0_2;

  const auto got = visit();

  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().text, HasSubstr("dialect 3.0.2 does not compress"));
  EXPECT_TRUE(server.seen.empty());
}

} // namespace
} // namespace smb2
