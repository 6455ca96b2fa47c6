#include "smb2/crypto/keys.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

namespace {

using namespace smb2::crypto;
using smb2::cipher;
using smb2::dialect;
using vectors::hex;
using wire::to_hex;

dialect dialect_of(const nlohmann::json& vector) {
  return static_cast<dialect>(std::stoul(vector.at("dialect").get<std::string>(), nullptr, 16));
}

session_keys keys_of(const nlohmann::json& vector) {
  preauth_value hash{};
  if (vector.contains("preauth")) hash = vectors::array_of<64>(vector, "preauth");
  return derive_keys(dialect_of(vector), hex(vector, "session_key"), hash,
                     static_cast<cipher>(vector.value("cipher", 0)));
}

TEST(DeriveKeys, GivesThePublishedKeysOfEveryDialect) {
  const auto& all = vectors::published().at("key_derivation");
  ASSERT_EQ(all.size(), 8u);

  for (const auto& vector : all) {
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto keys = keys_of(vector);

    EXPECT_EQ(to_hex(keys.signing), vector.at("signing"));
    if (vector.contains("encryption")) {
      EXPECT_EQ(to_hex(keys.encryption.view()), vector.at("encryption"));
    }
    if (vector.contains("decryption")) {
      EXPECT_EQ(to_hex(keys.decryption.view()), vector.at("decryption"));
    }
    if (vector.contains("application")) {
      EXPECT_EQ(to_hex(keys.application), vector.at("application"));
    }
  }
}

TEST(DeriveKeys, SignsWithTheSessionKeyItselfBelowSmb3) {
  const auto session_key = hex("7cd451825d0450d235424e44ba6e78cc");

  for (const auto old : {dialect::smb_2_0_2, dialect::smb_2_1}) {
    const auto keys = derive_keys(old, session_key, {});
    EXPECT_EQ(to_hex(keys.signing), to_hex(session_key));
    EXPECT_EQ(to_hex(keys.application), to_hex(session_key));
    EXPECT_EQ(keys.encryption.size, 0u);
    EXPECT_EQ(keys.decryption.size, 0u);
  }
}

TEST(DeriveKeys, FillsAShortSessionKeyWithZerosAndCutsALongOne) {
  const auto exact = hex("0102030405060708090a0b0c0d0e0000");
  const auto brief = hex("0102030405060708090a0b0c0d0e");
  const auto lengthy = hex("0102030405060708090a0b0c0d0e0000ffffffffffffffffffffffffffffffff");
  const auto want = to_hex(derive_keys(dialect::smb_3_0, exact, {}).signing);

  EXPECT_EQ(to_hex(derive_keys(dialect::smb_3_0, brief, {}).signing), want);
  EXPECT_EQ(to_hex(derive_keys(dialect::smb_3_0, lengthy, {}).signing), want);
}

TEST(DeriveKeys, TakesTheWholeSessionKeyForAes256SealingOnly) {
  const auto half = hex("0102030405060708090a0b0c0d0e0f10");
  auto whole = half;
  whole.resize(32, std::byte{0x55});
  const auto short_keys = derive_keys(dialect::smb_3_1_1, half, {}, cipher::aes_256_gcm);
  const auto long_keys = derive_keys(dialect::smb_3_1_1, whole, {}, cipher::aes_256_gcm);

  EXPECT_EQ(to_hex(long_keys.signing), to_hex(short_keys.signing));
  EXPECT_EQ(to_hex(long_keys.application), to_hex(short_keys.application));
  EXPECT_NE(to_hex(long_keys.encryption.view()), to_hex(short_keys.encryption.view()));
  EXPECT_EQ(long_keys.encryption.size, 32u);
}

TEST(DeriveKeys, DependsOnEveryByteOfThePreauthHashOn311AndOnNoneBelow) {
  const auto session_key = hex("270e1ba896585eeb7af3472d3b4c75a7");
  const auto base_311 = derive_keys(dialect::smb_3_1_1, session_key, {}).signing;
  const auto base_302 = derive_keys(dialect::smb_3_0_2, session_key, {}).signing;

  for (std::size_t i = 0; i < 64; ++i) {
    preauth_value hash{};
    hash[i] = std::byte{1};
    EXPECT_NE(derive_keys(dialect::smb_3_1_1, session_key, hash).signing, base_311) << i;
    EXPECT_EQ(derive_keys(dialect::smb_3_0_2, session_key, hash).signing, base_302) << i;
  }
}

TEST(KdfCounter, GivesThePublishedValues) {
  const auto& all = vectors::published().at("kdf_counter");
  ASSERT_EQ(all.size(), 2u);

  for (const auto& vector : all) {
    SCOPED_TRACE(vector.at("source").get<std::string>());
    auto out = hex(vector, "out");
    const auto want = to_hex(out);
    std::ranges::fill(out, std::byte{});
    if (vector.contains("fixed")) {
      const auto fixed = hex(vector, "fixed");
      kdf_counter(hex(vector, "key"), vectors::cut(fixed, {1, 30}), out);
    } else {
      kdf_counter(hex(vector, "key"), hex(vector, "label"), hex(vector, "context"), out);
    }
    EXPECT_EQ(to_hex(out), want);
  }
}

TEST(KdfCounter, CountsItsBlocksUp) {
  // Every prefix is the same, and the second block is another than the first.
  const auto key = hex("0102");
  const auto fixed = hex("0a0b0c");
  const wire::bytes pieces[] = {fixed};
  std::array<std::byte, 70> longest;
  kdf_counter(key, pieces, longest);

  for (std::size_t n = 0; n < longest.size(); ++n) {
    vectors::byte_string out(n);
    kdf_counter(key, pieces, out);
    EXPECT_EQ(to_hex(out), to_hex(wire::bytes(longest).first(n)));
  }
  EXPECT_NE(to_hex(wire::bytes(longest).first(32)), to_hex(wire::bytes(longest).subspan(32, 32)));
}

} // namespace
