#include "tests/support/smb2_compressor.hpp"
#include "tests/unit/smb2/core_script.hpp"

#include "smb2/crypto/sealer.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

using namespace script;
using enum compression_algorithm;
using testing::HasSubstr;

constexpr u64 session = 0x1234;
constexpr u32 bytes_max = 100'000;

/// A READ on its way with MessageId 0, and an agreement on LZ77, patterns and chains.
class CoreCompression : public testing::Test {
 protected:
  CoreCompression() {
    s.session_id = session;
    s.core.take_compressed_as({.algorithms = {lz77, pattern_v1}, .chained = true}, bytes_max);
  }

  void call_read(u64 user = 1) {
    request.length = 50'000;
    s.submit<read>(request, user);
    ASSERT_TRUE(s.take());
  }

  [[nodiscard]] std::vector<std::byte> response(message_signer* signer = nullptr) const {
    read::response body;
    body.data = part(data);
    wire::writer whole;
    encode_header({}, whole); // offsets count from it
    encode(body, whole, 0);
    const auto all = whole.flatten();
    answer a{.command = read::number, .message_id = 0, .session_id = session, .signer = signer};
    a.body.assign(all.begin() + header_bytes, all.end());
    return a.message();
  }

  read::request request;
  std::vector<std::byte> data = std::vector<std::byte>(40'000, std::byte{'x'});
  session_script s;
};

TEST_F(CoreCompression, TakesAMessageThatIsNotChained) {
  for (const std::size_t plain : {std::size_t{0}, std::size_t{80}}) {
    session_script one;
    one.session_id = session;
    one.core.take_compressed_as({.algorithms = {lz77}, .chained = false}, bytes_max);
    one.submit<read>(request, 7);
    ASSERT_TRUE(one.take());
    const auto packed = support::compress_lz77(response(), plain);
    ASSERT_LT(packed.size(), 2000u);

    one.feed(framed(packed));

    ASSERT_EQ(one.events.size(), 1u) << one.core.failure();
    EXPECT_EQ(one.events[0].outcome, call_outcome::replied);
    EXPECT_EQ(one.user_of(0), 7u);
    EXPECT_EQ(one.events[0].reply_bytes, packed.size() + 4);
    EXPECT_EQ(one.core.counters().decompressed_messages, 1u);
  }
}

TEST_F(CoreCompression, TakesAChain) {
  call_read();

  s.feed(framed(support::compress_chained(response(), 80)));

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
}

/// The signature is that of the message that was compressed.
TEST_F(CoreCompression, VerifiesTheSignatureOfWhatWasCompressed) {
  const auto signer = std::make_shared<sum_signer>(u8{5});
  s.signer = signer;
  call_read();

  s.feed(framed(support::compress_chained(response(signer.get()), 80)));

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
}

TEST_F(CoreCompression, RefusesAWrongSignatureInside) {
  const auto signer = std::make_shared<sum_signer>(u8{5});
  s.signer = signer;
  call_read();
  auto message = response(signer.get());
  message.back() ^= std::byte{1};

  s.feed(framed(support::compress_lz77(message)));

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::bad_signature);
  EXPECT_TRUE(s.core.failed());
}

TEST_F(CoreCompression, TakesACompoundThatIsCompressedAsOne) {
  s.give_credits(5);
  const echo::request ping;
  const std::array parts{s.request_of<echo>(ping, 1), s.request_of<echo>(ping, 2)};
  ASSERT_TRUE(s.core.submit_compound(parts, s.now));
  ASSERT_TRUE(s.take());
  auto first = answer{.message_id = 1, .session_id = session}.message();
  first.resize(72);
  wire::store_le(first.data() + next_command_offset, u32{72});
  const auto second = answer{.message_id = 2, .session_id = session}.message();
  first.insert(first.end(), second.begin(), second.end());
  const auto packed = support::compress_lz77(first);

  s.feed(framed(packed));

  ASSERT_EQ(s.events.size(), 2u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(s.events[1].outcome, call_outcome::replied);
  EXPECT_EQ(s.events[0].reply_bytes + s.events[1].reply_bytes, packed.size() + 4);
}

class SealedCompression : public CoreCompression {
 protected:
  SealedCompression() {
    crypto::session_keys keys;
    keys.encryption.size = keys.decryption.size = 16;
    keys.encryption.data.fill(std::byte{0x11});
    keys.decryption.data.fill(std::byte{0x22});
    s.sealer = crypto::make_sealer(cipher::aes_128_gcm, keys);
    std::swap(keys.encryption, keys.decryption);
    server = crypto::make_sealer(cipher::aes_128_gcm, keys);
    s.server_sealer = server.get();
    s.core.open_sealed_with(session, s.sealer);
  }

  [[nodiscard]] std::vector<std::byte> sealed(bytes plain) {
    std::vector<std::byte> out(transform_header::size + plain.size());
    server->seal(session, std::span(&plain, 1), out);
    return out;
  }

  std::unique_ptr<message_sealer> server;
};

TEST_F(SealedCompression, OpensAndThenDecompresses) {
  call_read();
  const auto packed = sealed(support::compress_chained(response(), 80));

  s.feed(framed(packed));

  ASSERT_EQ(s.events.size(), 1u) << s.core.failure();
  EXPECT_EQ(s.events[0].outcome, call_outcome::replied);
  EXPECT_EQ(s.events[0].reply_bytes, packed.size() + 4);
}

TEST_F(SealedCompression, TakesNoCompressedAnswerToASealedRequestInTheClear) {
  call_read();

  s.feed(framed(support::compress_lz77(response())));

  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_EQ(s.events[0].outcome, call_outcome::not_sealed);
}

TEST_F(SealedCompression, RefusesASealedMessageInsideACompressedOne) {
  call_read();

  s.feed(framed(sealed(support::compress_lz77(sealed(response())))));

  EXPECT_EQ(s.core.failure(), "a compressed message that holds no SMB2");
}

// --- hostile ones --------------------------------------------------------------------------------

struct hostile {
  const char* name;
  std::vector<std::byte> message;
  std::string_view failure;
};

std::vector<std::byte> some(std::size_t size) {
  auto out = answer{.command = read::number, .session_id = session}.message();
  out.resize(size, std::byte{'x'});
  return out;
}

std::vector<std::byte> with_u32(std::vector<std::byte> message, std::size_t at, u32 value) {
  wire::store_le(message.data() + at, value);
  return message;
}

std::vector<std::byte> with_u16(std::vector<std::byte> message, std::size_t at, u16 value) {
  wire::store_le(message.data() + at, value);
  return message;
}

std::vector<hostile> hostile_messages() {
  const auto whole = some(5000);
  const auto good = support::compress_lz77(whole);
  const auto chain = support::compress_chained(whole, 80);
  const std::string_view not_agreed =
      "a compressed message that cannot be used (compression that was not agreed on: ";
  const std::string_view unusable =
      "a compressed message that cannot be used (SMB2 COMPRESSION_TRANSFORM_HEADER: ";
  using support::chain_of;
  using support::pattern_payload;
  return {
      {"a_bomb", with_u32(good, 4, bytes_max + 1), unusable},
      {"a_bomb_of_the_largest_number", with_u32(good, 4, 0xFFFF'FFFF), unusable},
      {"a_bomb_in_a_chain", chain_of(0xFFFF'FFFF, {pattern_payload(std::byte{}, 0xFFFF'FFFF)}),
       unusable},
      {"a_pattern_that_is_longer_than_its_chain",
       chain_of(1000, {pattern_payload(std::byte{}, 0xFFFF'FFFF)}), unusable},
      {"a_chain_that_is_shorter_than_it_says", chain_of(5000, {pattern_payload(std::byte{}, 4999)}),
       unusable},
      {"a_payload_that_is_longer_than_its_chain", chain_of(10, {{0, some(100), {}}}), unusable},
      {"an_original_size_above_the_limit", chain_of(10, {{2, some(100), 0xFFFF'FFFF}}), unusable},
      {"an_offset_behind_the_end", with_u32(good, 12, 0xFFFF'FFFF), unusable},
      {"an_offset_that_overflows", with_u32(with_u32(good, 12, 8), 4, 0xFFFF'FFFF), unusable},
      {"another_algorithm", with_u16(good, 8, 5), not_agreed},
      {"an_algorithm_that_is_none", with_u16(good, 8, 77), not_agreed},
      {"no_algorithm", with_u16(good, 8, 0), unusable},
      {"a_pattern_without_a_chain", with_u16(good, 8, 4), unusable},
      {"another_algorithm_in_a_chain", chain_of(100, {{5, some(90), 100}}), not_agreed},
      {"unknown_flags", with_u16(good, 10, 2), unusable},
      {"a_cut_one", {good.begin(), good.end() - 9}, unusable},
      {"a_cut_chain", {chain.begin(), chain.end() - 9}, "a compressed message that cannot be used"},
      {"a_header_alone", {good.begin(), good.begin() + 16}, unusable},
      {"half_a_header", {good.begin(), good.begin() + 9}, unusable},
      {"a_compressed_one_inside", support::compress_lz77(good),
       "a compressed message that holds no SMB2"},
      {"garbage_inside", support::compress_lz77(std::vector<std::byte>(500, std::byte{'x'})),
       "a compressed message that holds no SMB2"},
      {"nothing_inside", support::compress_lz77({}), "a compressed message that holds no SMB2"},
      {"half_a_message_inside", support::compress_lz77(bytes(whole).first(40)),
       "a message that is cut wrongly"},
  };
}

class HostileCompression : public CoreCompression, public testing::WithParamInterface<hostile> {};

TEST_P(HostileCompression, EndsTheConnection) {
  call_read();

  s.feed(framed(GetParam().message));

  EXPECT_TRUE(s.core.failed());
  EXPECT_THAT(s.core.failure(), HasSubstr(std::string(GetParam().failure)));
  EXPECT_TRUE(s.events.empty()) << "somebody got something";
}

INSTANTIATE_TEST_SUITE_P(all, HostileCompression, testing::ValuesIn(hostile_messages()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_F(CoreCompression, EndsAtAChainThatWasNotAgreedOn) {
  s.core.take_compressed_as({.algorithms = {lz77}, .chained = false}, bytes_max);
  call_read();

  s.feed(framed(support::compress_chained(response(), 80)));

  EXPECT_THAT(s.core.failure(), HasSubstr("compression that was not agreed on"));
}

TEST_F(CoreCompression, EndsWhereNothingWasAgreedOn) {
  s.core.take_compressed_as({}, bytes_max);
  call_read();

  s.feed(framed(support::compress_lz77(response())));

  EXPECT_EQ(s.core.failure(), "a compressed message, though no compression was agreed on");
}

TEST_F(CoreCompression, SurvivesEveryChangeOfEveryByte) {
  for (const auto& good :
       {support::compress_lz77(some(300), 70), support::compress_chained(some(300), 70)})
    for (std::size_t at = 0; at < good.size(); ++at)
      for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
        session_script one;
        one.session_id = session;
        one.core.take_compressed_as({.algorithms = {lz77, pattern_v1}, .chained = true}, bytes_max);
        one.submit<read>(request);
        ASSERT_TRUE(one.take());
        auto bad = good;
        bad[at] ^= static_cast<std::byte>(flip);
        one.feed(framed(bad));
        ASSERT_LE(one.events.size(), 1u);
      }
}

} // namespace
} // namespace smb2
