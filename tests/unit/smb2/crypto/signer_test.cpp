#include "smb2/crypto/signer.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

namespace {

using namespace smb2::crypto;
using smb2::dialect;
using smb2::message_signer;
using smb2::signature;
using smb2::signing_algorithm;
using vectors::hex;
using wire::to_hex;

constexpr std::array algorithms{signing_algorithm::hmac_sha256, signing_algorithm::aes_cmac,
                                signing_algorithm::aes_gmac};

std::string cmac_of(const key_128& key, wire::bytes message) {
  auto cmac = mac::aes_128_cmac(key);
  std::array<std::byte, 16> out;
  cmac.begin();
  cmac.update(message);
  cmac.finish(out);
  return to_hex(out);
}

/// x · 2 in GF(2^128), most significant bit first, as RFC 4493 makes its subkeys.
vectors::byte_string doubled(const vectors::byte_string& x) {
  vectors::byte_string out(x.size());
  unsigned carry = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    const auto shifted = static_cast<unsigned>(x[i]) << 1 | carry;
    out[i] = static_cast<std::byte>(shifted & 0xFF);
    carry = shifted >> 8;
  }
  if (carry != 0) out.back() ^= std::byte{0x87};
  return out;
}

signing_algorithm algorithm_of(const nlohmann::json& vector) {
  const std::string name = vector.at("algorithm");
  return name == "aes_gmac" ? signing_algorithm::aes_gmac : signing_algorithm::aes_cmac;
}

/// A READ request of MessageId 9, unsigned.
vectors::byte_string unsigned_frame() {
  auto frame = hex(vectors::published().at("signed_frames").at(3), "frame");
  std::fill_n(frame.begin() + 48, 16, std::byte{});
  return frame;
}

TEST(AesCmac, GivesTheValuesOfRfc4493) {
  const auto& vector = vectors::published().at("aes_cmac").at(0);
  const auto key = vectors::array_of<16>(vector, "key");
  const auto message = hex(vector, "message");
  ASSERT_EQ(vector.at("macs").size(), 4u);

  for (const auto& [length, want] : vector.at("macs").items())
    EXPECT_EQ(cmac_of(key, wire::bytes(message).first(std::stoul(length))), want) << length;
}

TEST(AesCmac, HasTheSubkeysOfRfc4493) {
  // The MAC of K1 itself is AES(K1 ^ K1), from which K1 and K2 are made by doubling.
  const auto& vector = vectors::published().at("aes_cmac").at(0);
  const auto l = hex(cmac_of(vectors::array_of<16>(vector, "key"), hex(vector, "k1")));

  EXPECT_EQ(to_hex(doubled(l)), vector.at("k1"));
  EXPECT_EQ(to_hex(doubled(doubled(l))), vector.at("k2"));
}

TEST(Signer, VerifiesThePublishedFrames) {
  const auto& all = vectors::published().at("signed_frames");
  ASSERT_EQ(all.size(), 4u);

  for (const auto& vector : all) {
    SCOPED_TRACE(vector.at("source").get<std::string>());
    const auto signer = make_signer(algorithm_of(vector), vectors::array_of<16>(vector, "key"));
    EXPECT_TRUE(verify(*signer, hex(vector, "frame")));
  }
}

TEST(Signer, GivesThePublishedSignatureHoweverTheMessageIsCut) {
  for (const auto& vector : vectors::published().at("signed_frames")) {
    const auto signer = make_signer(algorithm_of(vector), vectors::array_of<16>(vector, "key"));
    auto frame = hex(vector, "frame");
    const auto want = to_hex(wire::bytes(frame).subspan(48, 16));
    std::fill_n(frame.begin() + 48, 16, std::byte{});
    const smb2::signing_input input{wire::load_le<smb2::u64>(frame.data() + 24),
                                    (frame[16] & std::byte{1}) != std::byte{}, false};

    for (std::size_t at = 64; at <= frame.size(); ++at)
      EXPECT_EQ(to_hex(signer->sign(vectors::cut(frame, {64, at, at}), input)), want) << at;
  }
}

TEST(Signer, DetectsEveryFlippedBitOfAFrame) {
  for (const auto algorithm : algorithms) {
    const auto signer = make_signer(algorithm, vectors::array_of<16>(hex(std::string(32, '7'))));
    auto frame = unsigned_frame();
    const wire::bytes whole[] = {frame};
    const auto good = signer->sign(whole, {.message_id = 9});
    std::copy(good.begin(), good.end(), frame.begin() + 48);
    ASSERT_TRUE(verify(*signer, frame));

    for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
      auto changed = frame;
      changed[bit / 8] ^= std::byte(1u << (bit % 8));
      EXPECT_FALSE(verify(*signer, changed)) << "bit " << bit;
    }
    EXPECT_TRUE(verify(*signer, frame));
  }
}

TEST(Signer, RefusesAFrameOfAnotherKeyAndACutOne) {
  for (const auto algorithm : algorithms) {
    const auto ours = make_signer(algorithm, vectors::array_of<16>(hex(std::string(32, '1'))));
    const auto other = make_signer(algorithm, vectors::array_of<16>(hex(std::string(32, '2'))));
    auto frame = unsigned_frame();
    const wire::bytes whole[] = {frame};
    const auto good = ours->sign(whole, {.message_id = 9});
    std::copy(good.begin(), good.end(), frame.begin() + 48);

    EXPECT_FALSE(verify(*other, frame));
    for (std::size_t n = 0; n < frame.size(); ++n)
      EXPECT_FALSE(verify(*ours, wire::bytes(frame).first(n))) << n;
    frame.push_back(std::byte{});
    EXPECT_FALSE(verify(*ours, frame));
  }
}

TEST(Signer, PutsMessageIdSideAndCancelIntoTheGmacNonce) {
  const auto key = vectors::array_of<16>(hex("ac36e9543cd888f0a84123e46bb2a0d7"));
  const auto frame = unsigned_frame();
  const wire::bytes whole[] = {frame};
  const smb2::signing_input plain{.message_id = 9};
  const std::array<smb2::signing_input, 3> others{{{.message_id = 10},
                                                   {.message_id = 9, .from_server = true},
                                                   {.message_id = 9, .cancel = true}}};

  for (const auto algorithm : algorithms) {
    const auto signer = make_signer(algorithm, key);
    const auto base = signer->sign(whole, plain);
    for (const auto& input : others)
      EXPECT_EQ(signer->sign(whole, input) == base, algorithm != signing_algorithm::aes_gmac);
  }
}

TEST(Signer, MakesTheGmacNonceByteForByte) {
  const auto key = vectors::array_of<16>(hex("ac36e9543cd888f0a84123e46bb2a0d7"));
  const auto frame = unsigned_frame();
  const wire::bytes whole[] = {frame};
  const auto signer = make_signer(signing_algorithm::aes_gmac, key);
  const auto with_nonce = [&](const char* nonce) {
    gmac direct(key);
    std::array<std::byte, 16> tag;
    direct.begin(vectors::array_of<12>(hex(nonce)));
    direct.update(frame);
    direct.finish(tag);
    return to_hex(tag);
  };
  const auto signed_with = [&](smb2::signing_input input) {
    return to_hex(signer->sign(whole, input));
  };

  EXPECT_EQ(signed_with({.message_id = 9}), with_nonce("0900000000000000 00000000"));
  EXPECT_EQ(signed_with({.message_id = 9, .from_server = true}),
            with_nonce("0900000000000000 01000000"));
  EXPECT_EQ(signed_with({.message_id = 9, .cancel = true}),
            with_nonce("0900000000000000 02000000"));
  EXPECT_EQ(signed_with({.message_id = 0x0123456789ABCDEF, .from_server = true, .cancel = true}),
            with_nonce("efcdab8967452301 03000000"));
}

TEST(Signer, ReadsTheNonceOfAReceivedMessageFromItsHeader) {
  const auto key = vectors::array_of<16>(hex("ac36e9543cd888f0a84123e46bb2a0d7"));
  const auto signer = make_signer(signing_algorithm::aes_gmac, key);
  struct sample {
    const char* what;
    std::byte command;
    std::byte flags;
    smb2::signing_input input;
  };
  const std::array<sample, 3> samples{{
      {"response", std::byte{8}, std::byte{0x09}, {.message_id = 9, .from_server = true}},
      {"CANCEL request", std::byte{12}, std::byte{0x08}, {.message_id = 9, .cancel = true}},
      {"request", std::byte{8}, std::byte{0x08}, {.message_id = 9}},
  }};

  for (const auto& [what, command, flags, input] : samples) {
    auto frame = unsigned_frame();
    frame[12] = command;
    frame[16] = flags;
    const wire::bytes whole[] = {frame};
    const auto good = signer->sign(whole, input);
    std::copy(good.begin(), good.end(), frame.begin() + 48);
    EXPECT_TRUE(verify(*signer, frame)) << what;
  }
}

TEST(Signer, IsChosenByTheDialectBelow311) {
  const auto key = vectors::array_of<16>(hex("ac36e9543cd888f0a84123e46bb2a0d7"));
  const auto frame = unsigned_frame();
  const wire::bytes whole[] = {frame};
  const auto by = [&](dialect negotiated, signing_algorithm algorithm) {
    return to_hex(make_signer(negotiated, algorithm, key)->sign(whole, {.message_id = 9}));
  };
  const auto alone = [&](signing_algorithm algorithm) {
    return to_hex(make_signer(algorithm, key)->sign(whole, {.message_id = 9}));
  };

  for (const auto algorithm : algorithms) {
    EXPECT_EQ(by(dialect::smb_2_0_2, algorithm), alone(signing_algorithm::hmac_sha256));
    EXPECT_EQ(by(dialect::smb_2_1, algorithm), alone(signing_algorithm::hmac_sha256));
    EXPECT_EQ(by(dialect::smb_3_0, algorithm), alone(signing_algorithm::aes_cmac));
    EXPECT_EQ(by(dialect::smb_3_0_2, algorithm), alone(signing_algorithm::aes_cmac));
    EXPECT_EQ(by(dialect::smb_3_1_1, algorithm), alone(algorithm));
  }
  EXPECT_EQ(make_signer(static_cast<signing_algorithm>(3), key), nullptr);
}

} // namespace
