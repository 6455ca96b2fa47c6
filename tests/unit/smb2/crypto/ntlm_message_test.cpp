#include "auth_support.hpp"
#include "smb2/auth/ntlm_message.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;
using wire::errc;
using wire::to_hex;

// From the published session set-up (Windows 8.1 against Windows 10); the tokens of SPNEGO end
// before the 18 bytes of mechListMIC.
byte_string token_of(std::size_t message) {
  const auto whole =
      hex(vectors::published().at("session_setups").at(0).at("messages").at(message), "message");
  const auto buffer = security_buffer(whole);
  bytes token;
  if (message == 2)
    token = decode_spnego<neg_token_init>(buffer).value().mech_token.value();
  else
    token = decode_spnego<neg_token_resp>(buffer).value().response_token.value();
  return {token.begin(), token.end()};
}

byte_string negotiate_bytes() {
  return token_of(2);
}
byte_string challenge_bytes() {
  return token_of(3);
}
byte_string authenticate_bytes() {
  return token_of(4);
}

std::string text_of(bytes utf16_bytes) {
  return smb2::utf16_view(utf16_bytes).text();
}

/// Every truncation is refused, and none reads beyond its end (the buffers have the exact size).
template <class Message>
void refuses_every_truncation(bytes whole) {
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const byte_string cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_FALSE(decode_ntlm<Message>(cut).has_value()) << n;
  }
}

/// Length, room and offset of each field at their largest never lead outside the message.
template <class Message>
void survives_hostile_fields(const byte_string& whole, std::initializer_list<std::size_t> fields) {
  for (const auto at : fields) {
    for (const std::size_t offset :
         {std::size_t{0}, std::size_t{11}, whole.size() - 1, whole.size(), std::size_t{0x7FFFFFFF},
          std::size_t{0xFFFFFFFF}}) {
      auto bad = whole;
      wire::store_le(bad.data() + at, smb2::u16{0xFFFF});
      wire::store_le(bad.data() + at + 4, static_cast<u32>(offset));
      const auto decoded = decode_ntlm<Message>(bad);
      ASSERT_FALSE(decoded.has_value()) << at << ' ' << offset;
      EXPECT_TRUE(decoded.error().code == errc::bad_offset ||
                  decoded.error().code == errc::truncated);
    }
  }
}

TEST(NtlmNegotiate, DecodesWhatWindowsSends) {
  const auto wire_bytes = negotiate_bytes();
  const auto message = decode_ntlm<negotiate_message>(wire_bytes);

  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->flags, 0xE2088297u);
  EXPECT_TRUE(message->domain.empty());
  EXPECT_TRUE(message->workstation.empty());
  ASSERT_TRUE(message->version.has_value());
  EXPECT_EQ(to_hex(*message->version), "060380250000000f");
}

TEST(NtlmChallenge, DecodesWhatWindowsSends) {
  const auto wire_bytes = challenge_bytes();
  const auto message = decode_ntlm<challenge_message>(wire_bytes);

  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->flags, 0xE28A8215u);
  EXPECT_EQ(to_hex(message->server_challenge), "0d1d8ba31179d008");
  EXPECT_EQ(text_of(message->target_name), "SUT311");
  EXPECT_EQ(to_hex(message->version.value()), "0a0092270000000f");

  const auto pairs = decode_av_pairs(message->target_info);
  ASSERT_TRUE(pairs.has_value());
  ASSERT_EQ(pairs->size(), 5u);
  EXPECT_EQ(pairs->at(0).id, av_id::nb_domain_name);
  EXPECT_EQ(text_of(pairs->at(3).value), "SUT311");
  EXPECT_EQ(pairs->at(3).id, av_id::dns_computer_name);
  EXPECT_EQ(to_hex(find(*pairs, av_id::timestamp).value()), "a1a1f5adcbaed001");
  EXPECT_FALSE(find(*pairs, av_id::flags).has_value());
}

TEST(NtlmAuthenticate, DecodesWhatWindowsSends) {
  const auto wire_bytes = authenticate_bytes();
  const auto message = decode_ntlm<authenticate_message>(wire_bytes);

  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(text_of(message->domain), "SUT311");
  EXPECT_EQ(text_of(message->user), "administrator");
  EXPECT_EQ(text_of(message->workstation), "DRIVER311");
  EXPECT_EQ(to_hex(message->lm_response), std::string(48, '0'));
  EXPECT_EQ(message->nt_response.size(), 238u);
  EXPECT_EQ(to_hex(message->encrypted_session_key), "3b9bdff38f5ee8f9663f11a0f4c03a78");
  EXPECT_EQ(message->flags, 0xE2888215u);
  EXPECT_EQ(to_hex(message->mic.value()), "ecac77a5f385a8bf9c38c706eeeddcd3");
}

TEST(NtlmMessages, EncodeBackToTheBytesOfWindows) {
  const auto negotiate = negotiate_bytes();
  const auto challenge = challenge_bytes();
  const auto authenticate = authenticate_bytes();

  EXPECT_EQ(to_hex(encode_ntlm(decode_ntlm<negotiate_message>(negotiate).value())),
            to_hex(negotiate));
  EXPECT_EQ(to_hex(encode_ntlm(decode_ntlm<challenge_message>(challenge).value())),
            to_hex(challenge));
  EXPECT_EQ(to_hex(encode_ntlm(decode_ntlm<authenticate_message>(authenticate).value())),
            to_hex(authenticate));
}

TEST(NtlmMessages, RefuseEveryTruncation) {
  refuses_every_truncation<challenge_message>(challenge_bytes());
  refuses_every_truncation<authenticate_message>(authenticate_bytes());

  // NEGOTIATE_MESSAGE ends with the optional version, so only its fixed part must be whole.
  const auto negotiate = negotiate_bytes();
  refuses_every_truncation<negotiate_message>(bytes(negotiate).first(32));
}

TEST(NtlmMessages, SurviveHostileLengthsAndOffsets) {
  survives_hostile_fields<negotiate_message>(negotiate_bytes(), {16, 24});
  survives_hostile_fields<challenge_message>(challenge_bytes(), {12, 40});
  survives_hostile_fields<authenticate_message>(authenticate_bytes(), {12, 20, 28, 36, 44, 52});
}

TEST(NtlmMessages, RefuseAnotherMagicAndAnotherType) {
  for (std::size_t at = 0; at < 12; ++at) {
    auto bad = challenge_bytes();
    bad[at] ^= std::byte{0x04};
    const auto decoded = decode_ntlm<challenge_message>(bad);
    ASSERT_FALSE(decoded.has_value()) << at;
    EXPECT_EQ(code_of(decoded), errc::bad_value);
  }
  EXPECT_FALSE(decode_ntlm<authenticate_message>(challenge_bytes()).has_value());
}

TEST(NtlmAuthenticate, IsReadWithoutMicAndWithoutVersionToo) {
  authenticate_message plain;
  const auto user = utf16("user").data;
  plain.user = user;
  plain.flags = 1;

  const auto old_form = encode_ntlm(plain);
  auto message = decode_ntlm<authenticate_message>(old_form);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(old_form.size(), 64 + user.size());
  EXPECT_FALSE(message->version.has_value());
  EXPECT_FALSE(message->mic.has_value());

  plain.version.emplace();
  const auto with_version = encode_ntlm(plain);
  message = decode_ntlm<authenticate_message>(with_version);
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(message->version.has_value());
  EXPECT_FALSE(message->mic.has_value());
  EXPECT_EQ(text_of(message->user), "user");
}

TEST(NtlmAuthenticate, HasItsMicAtTheOffsetOfTheSpecification) {
  authenticate_message message;
  message.version.emplace();
  message.mic = vectors::array_of<16>(hex(std::string(32, 'a')));
  const auto encoded = encode_ntlm(message);

  ASSERT_EQ(encoded.size(), 88u);
  EXPECT_EQ(to_hex(bytes(encoded).subspan(authenticate_message::mic_offset)), std::string(32, 'a'));
}

TEST(AvPairs, RoundTripAndRefuseEveryTruncation) {
  const auto name = utf16("SERVER").data;
  const std::array<av_pair, 3> pairs{{{av_id::nb_computer_name, name},
                                      {av_id::dns_tree_name, {}},
                                      {static_cast<av_id>(77), name}}};
  const auto encoded = encode_av_pairs(pairs);

  EXPECT_EQ(to_hex(encoded), "01000c00530045005200560045005200"
                             "05000000"
                             "4d000c00530045005200560045005200"
                             "00000000");
  const auto decoded = decode_av_pairs(encoded);
  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->size(), 3u);
  EXPECT_EQ(decoded->at(2).id, static_cast<av_id>(77));
  for (std::size_t n = 0; n < encoded.size(); ++n)
    EXPECT_FALSE(decode_av_pairs(bytes(encoded).first(n)).has_value()) << n;
}

TEST(AvPairs, EndAtMsvAvEolWhateverFollows) {
  EXPECT_EQ(decode_av_pairs(hex("00000000 ffffffffff")).value().size(), 0u);
  EXPECT_FALSE(decode_av_pairs({}).has_value());
}

TEST(AvPairs, AreBounded) {
  byte_string list;
  for (std::size_t i = 0; i < av_pairs_max; ++i)
    list.insert(list.end(), {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}});
  auto one_more = list;
  one_more.insert(one_more.end(), {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}});
  list.resize(list.size() + 4);
  one_more.resize(one_more.size() + 4);

  EXPECT_EQ(decode_av_pairs(list).value().size(), av_pairs_max);
  ASSERT_FALSE(decode_av_pairs(one_more).has_value());
  EXPECT_EQ(code_of(decode_av_pairs(one_more)), errc::over_limit);
}

TEST(ClientChallenge, RefusesEveryTruncationOfItsFixedPartAndOtherVersions) {
  const auto temp = hex(vectors::published().at("ntlmv2").at(1), "temp");
  for (std::size_t n = 0; n < 28; ++n)
    EXPECT_FALSE(decode_client_challenge(bytes(temp).first(n)).has_value()) << n;
  EXPECT_TRUE(decode_client_challenge(bytes(temp).first(28)).has_value());

  auto other = temp;
  other[0] = std::byte{2};
  EXPECT_EQ(code_of(decode_client_challenge(other)), errc::bad_value);
}

} // namespace
