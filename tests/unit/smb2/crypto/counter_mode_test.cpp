#include "smb2/crypto/aead.hpp"
#include "smb2/crypto/counter_mode.hpp"
#include "smb2/crypto/error.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

namespace {

using namespace smb2::crypto;
using smb2::cipher;
using vectors::byte_string;
using vectors::hex;
using wire::to_hex;

struct algorithm {
  cipher number;
  std::size_t key_bytes;
};
constexpr std::array algorithms{
    algorithm{cipher::aes_128_ccm, 16}, algorithm{cipher::aes_128_gcm, 16},
    algorithm{cipher::aes_256_ccm, 32}, algorithm{cipher::aes_256_gcm, 32}};

TEST(CounterMode, OpensThePublishedFramesFromTheirFirstByte) {
  const auto& all = vectors::published().at("sealed_frames");
  std::size_t seen = 0;
  for (const auto& vector : all) {
    if (!vector.contains("transform")) continue;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto number = static_cast<cipher>(vector.at("cipher").get<int>());
    const bool ccm = number == cipher::aes_128_ccm || number == cipher::aes_256_ccm;
    auto with = counter_mode::create(number, hex(vector, "key"));
    ASSERT_TRUE(with);
    const auto frame = hex(vector, "transform");
    const auto nonce = wire::bytes(frame).subspan(20, ccm ? 11 : 12);
    const auto sealed = wire::bytes(frame).subspan(52);
    byte_string plain(sealed.size());
    with->decrypt_start(nonce, sealed, plain);
    EXPECT_EQ(to_hex(plain), vector.at("plain"));
    ++seen;
  }
  EXPECT_GT(seen, 0u);
}

TEST(CounterMode, GivesOfEveryStartWhatTheWholeGives) {
  byte_string plain(300);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = static_cast<std::byte>(i * 7);
  for (const auto& [number, key_bytes] : algorithms) {
    const byte_string key(key_bytes, std::byte{0x42});
    auto seal = aead::create(number, key);
    auto with = counter_mode::create(number, key);
    ASSERT_TRUE(seal && with);
    const byte_string nonce(seal->nonce_bytes(), std::byte{7}), associated(32, std::byte{9});
    byte_string sealed(plain.size());
    const wire::bytes pieces[] = {plain};
    static_cast<void>(seal->seal(nonce, associated, pieces, sealed));

    for (std::size_t n = 0; n <= plain.size(); ++n) {
      byte_string out(n);
      with->decrypt_start(nonce, wire::bytes(sealed).first(n), out);
      EXPECT_EQ(to_hex(out), to_hex(wire::bytes(plain).first(n))) << n;
    }
    with->decrypt_start(nonce, sealed, sealed);
    EXPECT_EQ(to_hex(sealed), to_hex(plain)) << "in place";
  }
}

TEST(CounterMode, RefusesKeysOfTheWrongLengthAndUnknownCiphers) {
  for (const auto& [number, key_bytes] : algorithms)
    for (std::size_t n = 0; n < 40; ++n) {
      const auto made = counter_mode::create(number, byte_string(n));
      EXPECT_EQ(made.has_value(), n == key_bytes);
      if (!made) {
        EXPECT_EQ(made.error(), errc::bad_key_length);
      }
    }
  for (const auto number : {cipher::none, static_cast<cipher>(5)})
    EXPECT_EQ(counter_mode::create(number, byte_string(16)).error(), errc::unsupported_algorithm);
}

} // namespace
