#include "smb2/crypto/equal.hpp"
#include "smb2/crypto/error.hpp"
#include "smb2/crypto/legacy.hpp"
#include "smb2/crypto/mac.hpp"
#include "smb2/crypto/random.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace smb2::crypto;
using vectors::hex;
using wire::to_hex;

const legacy& algorithms() {
  const auto loaded = legacy::instance();
  if (!loaded) throw std::system_error(loaded.error());
  return **loaded;
}

std::string computed(const nlohmann::json& vector) {
  const std::string algorithm = vector.at("algorithm");
  auto data = hex(vector, "data");
  const auto key = vector.contains("key") ? hex(vector, "key") : vectors::byte_string{};
  const wire::bytes pieces[] = {data};
  if (algorithm == "md4") return to_hex(algorithms().md4(data));
  if (algorithm == "md5") return to_hex(algorithms().md5(pieces));
  if (algorithm == "hmac_md5") return to_hex(algorithms().hmac_md5(key, pieces));
  if (algorithm == "rc4") {
    algorithms().rc4_with(key).apply(data);
    return to_hex(data);
  }
  if (algorithm == "hmac_sha256") {
    auto hmac = mac::hmac_sha256(key);
    std::array<std::byte, 32> out;
    hmac.begin();
    hmac.update(data);
    hmac.finish(out);
    return to_hex(out);
  }
  return "no such algorithm: " + algorithm;
}

TEST(Hashes, GiveThePublishedValues) {
  const auto& all = vectors::published().at("hashes");
  ASSERT_EQ(all.size(), 10u);

  for (const auto& vector : all)
    EXPECT_EQ(computed(vector), vector.at("out").get<std::string>()) << vector;
}

TEST(Hashes, AreTheSameOverPiecesAsOverTheWhole) {
  const auto data = hex("00112233445566778899aabbccddeeff");
  const auto key = hex("0102030405060708");
  const wire::bytes whole[] = {data};
  const auto pieces = vectors::cut(data, {0, 3, 3, 15});

  EXPECT_EQ(algorithms().md5(pieces), algorithms().md5(whole));
  EXPECT_EQ(algorithms().hmac_md5(key, pieces), algorithms().hmac_md5(key, whole));
}

TEST(Hashes, TakeAnEmptyKey) {
  // HMAC over nothing with no key: the value is the one of RFC 2104 with a key of zeros.
  const wire::bytes nothing[] = {{}};
  const std::array<std::byte, 16> zeros{};

  EXPECT_EQ(algorithms().hmac_md5({}, nothing), algorithms().hmac_md5(zeros, nothing));
  EXPECT_EQ(to_hex(algorithms().hmac_md5({}, nothing)), "74e6f7298a9c2d168935f58c001bad88");
}

TEST(Rc4, GoesOnWithItsStreamFromCallToCall) {
  const auto key = hex("0102030405060708090a0b0c0d0e0f10");
  vectors::byte_string whole(48), parts(48);

  algorithms().rc4_with(key).apply(whole);
  auto stream = algorithms().rc4_with(key);
  stream.apply(std::span(parts).first(5));
  stream.apply(std::span(parts).subspan(5, 30));
  stream.apply(std::span(parts).subspan(35));

  EXPECT_EQ(to_hex(parts), to_hex(whole));
}

TEST(Legacy, NamesTheFileAndThePackageWhereTheProviderIsMissing) {
  const auto loaded = legacy::load("/nonexistent");

  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error(), errc::legacy_provider_missing);
  const auto text = loaded.error().message();
  EXPECT_NE(text.find("/legacy.so"), std::string::npos) << text;
  EXPECT_NE(text.find("libssl3"), std::string::npos) << text;
}

TEST(Legacy, CanBeLoadedTwiceAndFreed) {
  {
    const auto second = legacy::load();
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(to_hex(second->md4({})), "31d6cfe0d16ae931b73c59d7e0c089c0");
  }
  EXPECT_EQ(to_hex(algorithms().md4({})), "31d6cfe0d16ae931b73c59d7e0c089c0");
}

TEST(Equal, SeesEveryDifference) {
  const auto a = hex("00112233445566778899aabbccddeeff");
  EXPECT_TRUE(equal(a, a));
  EXPECT_TRUE(equal({}, {}));
  EXPECT_FALSE(equal(a, wire::bytes(a).first(15)));
  for (std::size_t i = 0; i < a.size() * 8; ++i) {
    auto b = a;
    b[i / 8] ^= std::byte(1u << (i % 8));
    EXPECT_FALSE(equal(a, b)) << "bit " << i;
  }
}

TEST(RandomBytes, AreNotRepeated) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i)
    seen.insert(to_hex(random_bytes<16>()));
  EXPECT_EQ(seen.size(), 100u);
}

} // namespace
