#include "smb2/crypto/aead.hpp"
#include "smb2/crypto/error.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

namespace {

using namespace smb2::crypto;
using smb2::cipher;
using vectors::byte_string;
using vectors::hex;
using wire::to_hex;

struct sealed_frame {
  byte_string nonce, associated, sealed;
  aead_tag tag;
};

/// SMB2_TRANSFORM_HEADER: magic (4), tag (16), nonce (16), size, reserved, flags, session (20 …
/// 51 are authenticated), then the cipher text. MS-SMB2 2.2.41.
sealed_frame parts_of(const nlohmann::json& vector, std::size_t nonce_bytes) {
  if (!vector.contains("transform"))
    return {hex(vector, "nonce"), hex(vector, "associated"), hex(vector, "sealed"),
            vectors::array_of<16>(vector, "tag")};
  const auto frame = hex(vector, "transform");
  const auto piece = [&](std::size_t at, std::size_t n) {
    const auto view = wire::bytes(frame).subspan(at, n);
    return byte_string(view.begin(), view.end());
  };
  return {piece(20, nonce_bytes), piece(20, 32), piece(52, frame.size() - 52),
          vectors::array_of<16>(piece(4, 16))};
}

cipher cipher_of(const nlohmann::json& vector) {
  return static_cast<cipher>(vector.at("cipher").get<int>());
}

aead make(cipher algorithm, wire::bytes key) {
  auto made = aead::create(algorithm, key);
  if (!made) throw std::system_error(made.error());
  return std::move(*made);
}

constexpr std::array all_ciphers{cipher::aes_128_ccm, cipher::aes_128_gcm, cipher::aes_256_ccm,
                                 cipher::aes_256_gcm};

byte_string key_of(cipher algorithm) {
  const bool wide = algorithm == cipher::aes_256_ccm || algorithm == cipher::aes_256_gcm;
  return byte_string(wide ? 32 : 16, std::byte{0x42});
}

TEST(Aead, SealsAndOpensThePublishedFrames) {
  const auto& all = vectors::published().at("sealed_frames");
  ASSERT_EQ(all.size(), 6u);

  for (const auto& vector : all) {
    SCOPED_TRACE(vector.at("name").get<std::string>());
    auto with = make(cipher_of(vector), hex(vector, "key"));
    const auto frame = parts_of(vector, with.nonce_bytes());
    const auto plain = hex(vector, "plain");
    if (vector.contains("nonce")) {
      EXPECT_EQ(to_hex(frame.nonce), vector.at("nonce"));
    }
    byte_string sealed(plain.size()), opened(frame.sealed.size());

    const wire::bytes pieces[] = {plain};
    const auto tag = with.seal(frame.nonce, frame.associated, pieces, sealed);
    EXPECT_EQ(to_hex(tag), to_hex(frame.tag));
    EXPECT_EQ(to_hex(sealed), to_hex(frame.sealed));

    EXPECT_TRUE(with.open(frame.nonce, frame.associated, frame.sealed, frame.tag, opened));
    EXPECT_EQ(to_hex(opened), to_hex(plain));
  }
}

TEST(Aead, GivesTheSameHoweverTheMessageIsCut) {
  byte_string plain(200);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain[i] = static_cast<std::byte>(i);
  for (const auto algorithm : all_ciphers) {
    auto with = make(algorithm, key_of(algorithm));
    const byte_string nonce(with.nonce_bytes(), std::byte{7}), associated(32, std::byte{9});
    byte_string whole(plain.size()), pieces(plain.size());

    const wire::bytes one[] = {plain};
    const auto tag = with.seal(nonce, associated, one, whole);
    const auto cut_tag =
        with.seal(nonce, associated, vectors::cut(plain, {0, 64, 112, 113, 113}), pieces);

    EXPECT_EQ(to_hex(cut_tag), to_hex(tag));
    EXPECT_EQ(to_hex(pieces), to_hex(whole));
  }
}

TEST(Aead, OpensInPlaceAndServesOneMessageAfterTheOther) {
  for (const auto algorithm : all_ciphers) {
    auto with = make(algorithm, key_of(algorithm));
    const byte_string associated(32, std::byte{9});
    for (std::size_t size = 0; size < 70; ++size) {
      const byte_string plain(size, static_cast<std::byte>(size));
      const byte_string nonce(with.nonce_bytes(), static_cast<std::byte>(size));
      byte_string buffer(size);
      const wire::bytes pieces[] = {plain};
      const auto tag = with.seal(nonce, associated, pieces, buffer);
      if (size > 8) {
        EXPECT_NE(to_hex(buffer), to_hex(plain));
      }

      EXPECT_TRUE(with.open(nonce, associated, buffer, tag, buffer)) << size;
      EXPECT_EQ(to_hex(buffer), to_hex(plain));
    }
  }
}

TEST(Aead, RefusesEveryFlippedBitAndHandsOutNothing) {
  for (const auto algorithm : all_ciphers) {
    auto with = make(algorithm, key_of(algorithm));
    const byte_string plain(24, std::byte{0x11});
    byte_string nonce(with.nonce_bytes(), std::byte{7}), associated(32, std::byte{9}), sealed(24);
    const wire::bytes pieces[] = {plain};
    auto tag = with.seal(nonce, associated, pieces, sealed);

    const auto refuses_flips_of = [&](std::span<std::byte> part, const char* name) {
      for (std::size_t bit = 0; bit < part.size() * 8; ++bit) {
        part[bit / 8] ^= std::byte(1u << (bit % 8));
        byte_string opened(sealed.size(), std::byte{0xEE});
        EXPECT_FALSE(with.open(nonce, associated, sealed, tag, opened)) << name << ' ' << bit;
        EXPECT_EQ(to_hex(opened), std::string(48, '0')) << name << ' ' << bit;
        part[bit / 8] ^= std::byte(1u << (bit % 8));
      }
    };
    refuses_flips_of(nonce, "nonce");
    refuses_flips_of(associated, "associated data");
    refuses_flips_of(sealed, "cipher text");
    refuses_flips_of(tag, "tag");

    byte_string opened(sealed.size());
    EXPECT_TRUE(with.open(nonce, associated, sealed, tag, opened));
  }
}

TEST(Aead, RefusesKeysOfTheWrongLengthAndUnknownCiphers) {
  for (const auto algorithm : all_ciphers)
    for (std::size_t n = 0; n < 40; ++n) {
      const auto made = aead::create(algorithm, byte_string(n));
      EXPECT_EQ(made.has_value(), n == key_of(algorithm).size());
      if (!made) {
        EXPECT_EQ(made.error(), errc::bad_key_length);
      }
    }
  EXPECT_EQ(aead::create(cipher::none, byte_string(16)).error(), errc::unsupported_algorithm);
  EXPECT_EQ(aead::create(static_cast<cipher>(5), byte_string(16)).error(),
            errc::unsupported_algorithm);
}

} // namespace
