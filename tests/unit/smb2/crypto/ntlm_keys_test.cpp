#include "auth_support.hpp"
#include "smb2/auth/ntlm_keys.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;
using wire::to_hex;

std::string upper(std::string_view text) {
  return to_upper(utf16(text).view()).view().text();
}

TEST(Ntlmv2, GivesEveryPublishedValueFromThePasswordOn) {
  const auto& all = vectors::published().at("ntlmv2");
  ASSERT_EQ(all.size(), 2u);

  for (const auto& vector : all) {
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto text = [&](const char* key) { return utf16(vector.at(key).get<std::string>()); };
    const auto server = vectors::array_of<8>(vector, "server_challenge");

    const auto hash = nt_hash(algorithms(), text("password").view());
    EXPECT_EQ(to_hex(hash), vector.at("nt_hash"));
    const auto ntowf = ntowf_v2(algorithms(), hash, text("user").view(), text("domain").view());
    EXPECT_EQ(to_hex(ntowf), vector.at("ntowfv2"));
    const auto proof = prove(algorithms(), ntowf, server, hex(vector, "temp"));
    EXPECT_EQ(to_hex(proof.nt_proof_str), vector.at("nt_proof_str"));
    EXPECT_EQ(to_hex(proof.session_base_key), vector.at("session_base_key"));

    auto key = hex(vector, "exported_session_key");
    algorithms().rc4_with(proof.session_base_key).apply(key);
    EXPECT_EQ(to_hex(key), vector.at("encrypted_random_session_key"));

    if (vector.contains("lmv2_response")) {
      const auto client = vectors::array_of<8>(vector, "client_challenge");
      EXPECT_EQ(to_hex(lmv2_response(algorithms(), ntowf, server, client)),
                vector.at("lmv2_response"));
    }
  }
}

TEST(Ntlmv2, EncodesThePublishedClientChallenge) {
  // The one of MS-NLMP 4.2.4; Windows puts four bytes more behind the pairs of the other.
  const auto& vector = vectors::published().at("ntlmv2").at(0);
  const auto domain = utf16("Domain").data, server = utf16("Server").data;
  const std::array<av_pair, 2> pairs{
      {{av_id::nb_domain_name, domain}, {av_id::nb_computer_name, server}}};

  const auto list = encode_av_pairs(pairs);
  const auto temp =
      encode_client_challenge({.timestamp = 0,
                               .challenge = vectors::array_of<8>(vector, "client_challenge"),
                               .av_pairs = list});

  EXPECT_EQ(to_hex(temp), vector.at("temp"));
}

TEST(Ntlmv2, DecodesThePublishedClientChallenges) {
  for (const auto& vector : vectors::published().at("ntlmv2")) {
    const auto temp = hex(vector, "temp");
    const auto decoded = decode_client_challenge(temp);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(to_hex(decoded->challenge), vector.at("client_challenge"));
    EXPECT_EQ(decoded->timestamp, wire::load_le<u64>(hex(vector, "time").data()));
    EXPECT_TRUE(decode_av_pairs(decoded->av_pairs).has_value());
  }
}

TEST(Ntlmv2, UpperCasesTheUserButNotTheDomain) {
  const auto hash = nt_hash(algorithms(), utf16("secret").view());
  const auto of = [&](const char* user, const char* domain) {
    return to_hex(ntowf_v2(algorithms(), hash, utf16(user).view(), utf16(domain).view()));
  };

  EXPECT_EQ(of("user", "Domain"), of("USER", "Domain"));
  EXPECT_NE(of("user", "Domain"), of("user", "DOMAIN"));
  EXPECT_EQ(of("jörg", "D"), of("JÖRG", "D"));
}

TEST(UpperCase, FollowsUnicodesSimpleMappings) {
  EXPECT_EQ(upper("user.name-1_$"), "USER.NAME-1_$");
  EXPECT_EQ(upper("àéîõüÿ"), "ÀÉÎÕÜŸ");
  EXPECT_EQ(upper("straße"), "STRAßE"); // no simple mapping: two letters are not one
  EXPECT_EQ(upper("αβγ жзи"), "ΑΒΓ ЖЗИ");
  EXPECT_EQ(upper("漢字"), "漢字");
  EXPECT_EQ(upper("a😀b"), "A😀B"); // a surrogate pair stays
  EXPECT_EQ(upper(""), "");
}

TEST(NtlmSignature, HasThePublishedKeys) {
  const auto& vector = vectors::published().at("session_setups").at(0);
  const auto key = vectors::array_of<16>(vector, "session_key");
  const ntlm_signature_stream client(algorithms(), key, 0xE2888215,
                                     ntlm_direction::client_to_server);
  const ntlm_signature_stream server(algorithms(), key, 0xE2888215,
                                     ntlm_direction::server_to_client);

  EXPECT_EQ(to_hex(client.signing_key()), vector.at("ntlm").at("client_signing"));
  EXPECT_EQ(to_hex(client.sealing_key()), vector.at("ntlm").at("client_sealing"));
  EXPECT_EQ(to_hex(server.signing_key()), vector.at("ntlm").at("server_signing"));
  EXPECT_EQ(to_hex(server.sealing_key()), vector.at("ntlm").at("server_sealing"));
}

TEST(NtlmSignature, GivesTheValuesOfMsNlmp) {
  // MS-NLMP 4.2.4.4: the session key is 55…, the client's first message "Plaintext" in UTF-16LE.
  // There it is sealed before its checksum is, so that 18 bytes of the key stream are used up.
  const auto key = vectors::array_of<16>(hex(std::string(32, '5')));
  const auto text = utf16("Plaintext").data;
  const ntlm_signature_stream client(algorithms(), key, 0xE28A8233,
                                     ntlm_direction::client_to_server);
  EXPECT_EQ(to_hex(client.signing_key()), "4788dc861b4782f35d43fd98fe1a2d39");
  EXPECT_EQ(to_hex(client.sealing_key()), "59f600973cc4960a25480a7c196e4c58");

  const auto sequence = hex("00000000");
  const bytes parts[] = {sequence, text};
  auto checksum = algorithms().hmac_md5(client.signing_key(), parts);
  auto sealed = text;
  auto stream = algorithms().rc4_with(client.sealing_key());
  stream.apply(sealed);
  stream.apply(std::span(checksum).first(8));
  EXPECT_EQ(to_hex(sealed), "54e50165bf1936dc996020c1811b0f06fb5f");
  EXPECT_EQ(to_hex(bytes(checksum).first(8)), "7fb38ec5c55d4976");
}

TEST(NtlmSignature, WeakensTheSealingKeyToWhatWasNegotiated) {
  const auto key = vectors::array_of<16>(hex("000102030405060708090a0b0c0d0e0f"));
  const auto sealing = [&](const key_128& with, u32 flags) {
    return to_hex(ntlm_signature_stream(algorithms(), with, flags, ntlm_direction::client_to_server)
                      .sealing_key());
  };
  auto other_tail = key;
  other_tail[15] = std::byte{0xFF};
  auto other_seventh = key;
  other_seventh[6] = std::byte{0xFF};
  auto other_fifth = key;
  other_fifth[4] = std::byte{0xFF};
  const u32 with_128 = ntlm_flag::key_128, with_56 = ntlm_flag::key_56, with_40 = 0;

  EXPECT_NE(sealing(key, with_128), sealing(other_tail, with_128));
  EXPECT_EQ(sealing(key, with_56), sealing(other_tail, with_56));
  EXPECT_NE(sealing(key, with_56), sealing(other_seventh, with_56));
  EXPECT_EQ(sealing(key, with_40), sealing(other_seventh, with_40));
  EXPECT_NE(sealing(key, with_40), sealing(other_fifth, with_40));
}

TEST(NtlmSignature, NumbersItsMessagesAndGoesOnWithItsKeyStream) {
  const auto key = vectors::array_of<16>(hex(std::string(32, '5')));
  for (const u32 flags : {0xE2888215u, 0xE2888215u & ~ntlm_flag::key_exchange}) {
    ntlm_signature_stream sender(algorithms(), key, flags, ntlm_direction::client_to_server);
    ntlm_signature_stream receiver(algorithms(), key, flags, ntlm_direction::client_to_server);
    const auto text = hex("00112233");
    std::string before;
    for (u32 i = 0; i < 5; ++i) {
      const auto signature = sender.sign(text);
      EXPECT_EQ(wire::load_le<u32>(signature.data()), 1u);
      EXPECT_EQ(wire::load_le<u32>(signature.data() + 12), i);
      EXPECT_NE(to_hex(signature), before);
      EXPECT_TRUE(receiver.verify(text, signature));
      before = to_hex(signature);
    }
  }
}

TEST(NtlmSignature, EncryptsTheChecksumOnlyWhereKeysAreExchanged) {
  // MS-NLMP 3.4.4.2: the first eight bytes of HMAC-MD5 over sequence number and message, and RC4
  // over them with NEGOTIATE_KEY_EXCH.
  const auto key = vectors::array_of<16>(hex(std::string(32, '5')));
  const auto text = hex("00112233"), sequence = hex("00000000");
  const bytes parts[] = {sequence, text};
  for (const bool exchanged : {false, true}) {
    const u32 flags = ntlm_flag::key_128 | (exchanged ? ntlm_flag::key_exchange : 0);
    ntlm_signature_stream stream(algorithms(), key, flags, ntlm_direction::client_to_server);
    auto checksum = algorithms().hmac_md5(stream.signing_key(), parts);
    if (exchanged) algorithms().rc4_with(stream.sealing_key()).apply(std::span(checksum).first(8));

    const auto signature = stream.sign(text);
    EXPECT_EQ(to_hex(bytes(signature).subspan(4, 8)), to_hex(bytes(checksum).first(8)));
  }
}

TEST(NtlmSignature, RefusesEveryFlippedBitAndEveryOtherLength) {
  const auto key = vectors::array_of<16>(hex(std::string(32, '5')));
  const auto text = hex("300c060a2b06010401823702020a");
  const auto fresh = [&] {
    return ntlm_signature_stream(algorithms(), key, 0xE2888215, ntlm_direction::server_to_client);
  };
  const auto good = fresh().sign(text);

  EXPECT_TRUE(fresh().verify(text, good));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= std::byte(1u << (bit % 8));
    EXPECT_FALSE(fresh().verify(text, bad)) << bit;
  }
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(fresh().verify(text, bytes(good).first(n))) << n;
}

} // namespace
