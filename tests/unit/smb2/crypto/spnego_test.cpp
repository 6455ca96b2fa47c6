#include "auth_support.hpp"
#include "smb2/auth/spnego.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using vectors::hex;
using wire::errc;
using wire::to_hex;

// Samba 4.17's, as in tests/golden/smb2_sessions.json: NTLMSSP and the hint that nobody may read.
constexpr auto samba_init2 =
    "604806062b0601050502"
    "a03e303c"
    "a00e300c060a2b06010401823702020a"
    "a32a3028a0261b24"
    "6e6f745f646566696e65645f696e5f5246433431373840706c656173655f69676e6f7265";

// Windows' initiator: NTLMSSP, and an NTLM NEGOTIATE_MESSAGE (shortened to four bytes).
constexpr auto initiator = "602406062b0601050502"
                           "a01a3018"
                           "a00e300c060a2b06010401823702020a"
                           "a20604044e544c4d";

constexpr auto accept_with_mic = "a11b3019"
                                 "a0030a0100"
                                 "a3120410010000003b453cdc3524164200000000";

std::string text_of(bytes of) {
  return std::string(wire::as_text(of));
}

byte_string buffer_of(const nlohmann::json& setup, std::size_t message) {
  const auto whole = hex(setup.at("messages").at(message), "message");
  const auto buffer = security_buffer(whole);
  return {buffer.begin(), buffer.end()};
}

/// Decoding the bytes at their exact size and encoding what came out gives them again.
template <class Token>
void round_trips(const byte_string& token) {
  const auto decoded = decode_spnego<Token>(token);
  ASSERT_TRUE(decoded.has_value()) << wire::describe(decoded.error()) << ' ' << to_hex(token);
  EXPECT_EQ(to_hex(encode_spnego(*decoded)), to_hex(token));
}

template <class Token>
void refuses_every_truncation_and_every_longer_token(const byte_string& token) {
  for (std::size_t n = 0; n < token.size(); ++n) {
    const byte_string cut(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(n));
    const auto decoded = decode_spnego<Token>(cut);
    ASSERT_FALSE(decoded.has_value()) << n;
    EXPECT_EQ(code_of(decoded), errc::truncated) << n;
  }
  auto longer = token;
  longer.push_back(std::byte{});
  EXPECT_EQ(code_of(decode_spnego<Token>(longer)), errc::trailing_bytes);
}

TEST(NegTokenInit, DecodesAnInitiatorsToken) {
  const auto token = hex(initiator);
  const auto decoded = decode_spnego<neg_token_init>(token);

  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->mech_types.size(), 1u);
  EXPECT_EQ(mechanism_name(decoded->mech_types[0]), "NTLMSSP");
  EXPECT_EQ(text_of(decoded->mech_token.value()), "NTLM");
  EXPECT_FALSE(decoded->req_flags.has_value());
  EXPECT_FALSE(decoded->mech_list_mic.has_value());
}

TEST(NegTokenInit2, DecodesWhatSambaOffers) {
  const auto token = hex(samba_init2);
  const auto decoded = decode_spnego<neg_token_init2>(token);

  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->mech_types.size(), 1u);
  EXPECT_TRUE(decoded->hints);
  EXPECT_EQ(text_of(decoded->hint_name.value()), "not_defined_in_RFC4178@please_ignore");
  EXPECT_FALSE(decoded->hint_address.has_value());
}

TEST(NegTokenInit2, DecodesWhatWindowsOffers) {
  const auto token = buffer_of(vectors::published().at("session_setups").at(0), 1);
  const auto decoded = decode_spnego<neg_token_init2>(token);

  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->mech_types.size(), 2u);
  EXPECT_EQ(mechanism_name(decoded->mech_types[0]), "NEGOEX");
  EXPECT_EQ(mechanism_name(decoded->mech_types[1]), "NTLMSSP");
  EXPECT_EQ(text_of(decoded->mech_token.value().first(8)), "NEGOEXTS");
  EXPECT_FALSE(decoded->hints);
}

TEST(NegTokenResp, DecodesAnAcceptance) {
  const auto token = hex(accept_with_mic);
  const auto decoded = decode_spnego<neg_token_resp>(token);

  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->state, neg_state::accept_completed);
  EXPECT_FALSE(decoded->supported_mech.has_value());
  EXPECT_FALSE(decoded->response_token.has_value());
  EXPECT_EQ(to_hex(decoded->mech_list_mic.value()), "010000003b453cdc3524164200000000");
}

TEST(Spnego, EncodesBackEveryTokenOfRealPeers) {
  round_trips<neg_token_init2>(hex(samba_init2));
  round_trips<neg_token_init>(hex(initiator));
  for (const auto& setup : vectors::published().at("session_setups")) {
    round_trips<neg_token_init2>(buffer_of(setup, 1));
    round_trips<neg_token_init>(buffer_of(setup, 2));
    for (const std::size_t message : {3, 4, 5})
      round_trips<neg_token_resp>(buffer_of(setup, message));
  }
  for (const auto& session : vectors::captured().at("sessions")) {
    const auto token = [&](std::size_t message) {
      const auto whole = hex(session.at("messages").at(message).get<std::string>());
      const auto buffer = security_buffer(whole);
      return byte_string(buffer.begin(), buffer.end());
    };
    round_trips<neg_token_init2>(token(1));
    round_trips<neg_token_init>(token(2));
    for (const std::size_t message : {3, 4, 5})
      round_trips<neg_token_resp>(token(message));
  }
}

TEST(Spnego, EncodesEveryOptionalPart) {
  const auto mic = hex("0102");
  neg_token_init2 init;
  init.mech_types = {oid::kerberos(), oid::ntlmssp()};
  init.req_flags = bytes(mic);
  init.mech_token = bytes(mic);
  init.hints = true;
  init.hint_name = wire::as_bytes("h");
  init.hint_address = bytes(mic);
  init.mech_list_mic = bytes(mic);

  EXPECT_EQ(to_hex(encode_spnego(init)), "604806062b0601050502"
                                         "a03e303c"
                                         "a019301706092a864886f712010202060a2b06010401823702020a"
                                         "a10403020102"
                                         "a20404020102"
                                         "a30d300ba0031b0168a10404020102"
                                         "a40404020102");
  round_trips<neg_token_init2>(encode_spnego(init));
}

TEST(Spnego, RefusesEveryTruncationAndTrailingBytes) {
  refuses_every_truncation_and_every_longer_token<neg_token_init>(hex(initiator));
  refuses_every_truncation_and_every_longer_token<neg_token_init2>(hex(samba_init2));
  refuses_every_truncation_and_every_longer_token<neg_token_resp>(hex(accept_with_mic));
  refuses_every_truncation_and_every_longer_token<neg_token_resp>(
      buffer_of(vectors::published().at("session_setups").at(0), 4));
}

TEST(Spnego, WritesLengthsInTheirShortestForm) {
  for (const std::size_t n : {0u, 1u, 100u, 127u, 128u, 255u, 256u, 1000u, 65535u, 65536u}) {
    const byte_string payload(n, std::byte{0xAB});
    neg_token_resp token;
    token.response_token = bytes(payload);
    const auto encoded = encode_spnego(token);
    const auto decoded = decode_spnego<neg_token_resp>(encoded);
    ASSERT_TRUE(decoded.has_value()) << n;
    EXPECT_EQ(decoded->response_token->size(), n);
  }
}

TEST(Der, RefusesLengthsThatAreNotInTheirShortestForm) {
  const std::array samples{
      std::pair{"a1803000", errc::bad_value},     // indefinite
      std::pair{"a181023000", errc::bad_value},   // 2 in the long form
      std::pair{"a182003030", errc::bad_value},   // a leading zero
      std::pair{"a18400000002", errc::over_limit} // more octets than a message could need
  };
  for (const auto& [token, want] : samples) {
    const auto decoded = decode_spnego<neg_token_resp>(hex(token));
    ASSERT_FALSE(decoded.has_value()) << token;
    EXPECT_EQ(code_of(decoded), want) << token;
  }
}

TEST(Der, KeepsAnElementInsideTheOneThatItIsIn) {
  // The inner SEQUENCE claims one byte more than the outer element has.
  EXPECT_EQ(code_of(decode_spnego<neg_token_resp>(hex("a1053004a0030a01 00"))), errc::truncated);
  // … and here one less, so that a byte is left over in it.
  EXPECT_EQ(code_of(decode_spnego<neg_token_resp>(hex("a1083006a0030a010000"))), errc::truncated);
  EXPECT_EQ(code_of(decode_spnego<neg_token_resp>(hex("a1083005a0030a010000"))),
            errc::trailing_bytes);
}

TEST(Der, RefusesAnyLengthOctetAtItsMaximum) {
  const auto token = buffer_of(vectors::published().at("session_setups").at(0), 4);
  // The length octets that lie before the NTLM message.
  for (const std::size_t at : {2u, 3u, 6u, 7u, 9u, 11u, 15u, 16u, 19u, 20u}) {
    auto bad = token;
    bad[at] = std::byte{0xFF};
    EXPECT_FALSE(decode_spnego<neg_token_resp>(bad).has_value()) << at;
  }
}

TEST(Der, RefusesAnEnumeratedOfAnotherWidth) {
  EXPECT_EQ(code_of(decode_spnego<neg_token_resp>(hex("a1083006a0040a020000"))), errc::bad_value);
  EXPECT_EQ(code_of(decode_spnego<neg_token_resp>(hex("a1063004a0020a00"))), errc::bad_value);
}

TEST(Der, KeepsAStateThatItDoesNotKnow) {
  const auto decoded = decode_spnego<neg_token_resp>(hex("a1073005a0030a0109"));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->state, static_cast<neg_state>(9));
}

TEST(Der, PassesOverExtensionsAtTheEnd) {
  EXPECT_TRUE(decode_spnego<neg_token_resp>(hex("a10b3009a0030a0101a5020101")).has_value());
  EXPECT_FALSE(decode_spnego<neg_token_resp>(hex("a10b3009a0030a0101a5030101")).has_value());
}

TEST(Der, TakesAnElementOutOfOrderForAnExtensionAndSeesItNot) {
  // state after mechListMIC: the MIC is read, what follows is passed over.
  const auto decoded = decode_spnego<neg_token_resp>(hex("a10d300ba304040201 02a0030a0100"));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(decoded->mech_list_mic.has_value());
  EXPECT_FALSE(decoded->state.has_value());
}

TEST(MechTypes, AreBounded) {
  neg_token_init token;
  token.mech_types.assign(mech_types_max, oid::ntlmssp());
  EXPECT_TRUE(decode_spnego<neg_token_init>(encode_spnego(token)).has_value());
  token.mech_types.push_back(oid::ntlmssp());
  const auto decoded = decode_spnego<neg_token_init>(encode_spnego(token));
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(code_of(decoded), errc::over_limit);
}

TEST(MechTypes, AreEncodedAsTheMicCoversThem) {
  EXPECT_EQ(to_hex(encode_mech_types({oid::ntlmssp()})), "300c060a2b06010401823702020a");
}

TEST(MechTypes, HaveNames) {
  EXPECT_EQ(mechanism_name(hex("2a864886f712010202")), "Kerberos");
  EXPECT_EQ(mechanism_name(hex("2a864882f712010202")), "Kerberos (Microsoft's first number)");
  EXPECT_EQ(mechanism_name(hex("2a864886f71201020203")), "Kerberos user-to-user");
  EXPECT_EQ(mechanism_name(hex("2b0601040182370202 0a")), "NTLMSSP");
  EXPECT_EQ(mechanism_name(hex("2b0601040182370202 1e")), "NEGOEX");
  EXPECT_EQ(mechanism_name(hex("2a")), "unknown mechanism");
  EXPECT_EQ(mechanism_name({}), "unknown mechanism");
}

TEST(OfferedMechanisms, TakesBothFormsOfTheFirstToken) {
  EXPECT_EQ(offered_mechanisms(hex(samba_init2)).value().size(), 1u);
  EXPECT_EQ(offered_mechanisms(hex(initiator)).value().size(), 1u);
  // RFC 4178's: mechListMIC where MS-SPNG has the hints.
  EXPECT_EQ(offered_mechanisms(hex("602206062b0601050502a0183016"
                                   "a00e300c060a2b06010401823702020a"
                                   "a304040201 02"))
                ->size(),
            1u);
  EXPECT_FALSE(offered_mechanisms({}).has_value());
  EXPECT_FALSE(offered_mechanisms(hex("4e544c4d53535000")).has_value());
}

} // namespace
