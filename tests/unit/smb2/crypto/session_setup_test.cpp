// From the password to the signature of the last frame, on what real peers sent each other.
#include "auth_support.hpp"
#include "smb2/crypto/keys.hpp"
#include "smb2/crypto/preauth.hpp"
#include "smb2/crypto/signer.hpp"

#include <gtest/gtest.h>

namespace {

using namespace auth_support;
using namespace smb2::auth;
using namespace smb2::crypto;
using smb2::dialect;
using smb2::signing_algorithm;
using vectors::hex;
using wire::to_hex;

/// The security tokens of a session set-up: offer, initial, challenge, authenticate, acceptance.
struct tokens {
  byte_string offer, negotiate, challenge, authenticate;
  byte_string mech_types, client_mic, server_mic;
};

byte_string copy_of(bytes from) {
  return {from.begin(), from.end()};
}

tokens tokens_of(const std::vector<byte_string>& messages) {
  const auto init = decode_spnego<neg_token_init>(security_buffer(messages[2])).value();
  const auto first = decode_spnego<neg_token_resp>(security_buffer(messages[3])).value();
  const auto second = decode_spnego<neg_token_resp>(security_buffer(messages[4])).value();
  const auto last = decode_spnego<neg_token_resp>(security_buffer(messages[5])).value();
  return {copy_of(security_buffer(messages[1])), copy_of(init.mech_token.value()),
          copy_of(first.response_token.value()), copy_of(second.response_token.value()),
          encode_mech_types(init.mech_types),    copy_of(second.mech_list_mic.value()),
          copy_of(last.mech_list_mic.value())};
}

/// What a server does with AUTHENTICATE: from the password to ExportedSessionKey.
key_128 session_key_of(const tokens& from, std::string_view password) {
  const auto challenge = decode_ntlm<challenge_message>(from.challenge).value();
  const auto message = decode_ntlm<authenticate_message>(from.authenticate).value();
  const auto ntowf = ntowf_v2(algorithms(), nt_hash(algorithms(), utf16(password).view()),
                              smb2::utf16_view(message.user), smb2::utf16_view(message.domain));
  const auto proof =
      prove(algorithms(), ntowf, challenge.server_challenge, message.nt_response.subspan(16));
  EXPECT_EQ(to_hex(proof.nt_proof_str), to_hex(message.nt_response.first(16)));

  auto key = vectors::array_of<16>(copy_of(message.encrypted_session_key));
  algorithms().rc4_with(proof.session_base_key).apply(key);
  EXPECT_EQ(to_hex(message_integrity(algorithms(), key, from.negotiate, from.challenge,
                                     from.authenticate)),
            to_hex(message.mic.value()));

  ntlm_signature_stream client(algorithms(), key, message.flags, ntlm_direction::client_to_server);
  ntlm_signature_stream server(algorithms(), key, message.flags, ntlm_direction::server_to_client);
  EXPECT_TRUE(client.verify(from.mech_types, from.client_mic));
  EXPECT_TRUE(server.verify(from.mech_types, from.server_mic));
  return key;
}

preauth_value preauth_of(const std::vector<byte_string>& messages) {
  preauth_sha512 hash;
  for (std::size_t i = 0; i < 5; ++i) {
    const bytes whole[] = {messages[i]};
    hash.update(whole);
  }
  return hash.value();
}

TEST(SessionSetup, GoesFromThePasswordToTheSignedResponseOnThePublishedPackets) {
  const auto& all = vectors::published().at("session_setups");
  ASSERT_EQ(all.size(), 2u);

  for (const auto& setup : all) {
    SCOPED_TRACE(setup.at("name").get<std::string>());
    std::vector<byte_string> messages;
    for (const auto& message : setup.at("messages"))
      messages.push_back(hex(message, "message"));
    ASSERT_EQ(messages.size(), 6u);

    const auto key = session_key_of(tokens_of(messages), setup.at("password").get<std::string>());
    EXPECT_EQ(to_hex(key), setup.at("session_key"));
    const auto keys =
        derive_keys(dialect::smb_3_1_1, key, preauth_of(messages), smb2::cipher::aes_128_gcm);
    EXPECT_EQ(to_hex(keys.signing), setup.at("signing"));

    const auto signer = make_signer(dialect::smb_3_1_1, signing_algorithm::aes_cmac, keys.signing);
    EXPECT_TRUE(verify(*signer, messages[5]));

    if (!setup.contains("bound_with")) continue;
    const auto first_channel = make_signer(dialect::smb_3_1_1, signing_algorithm::aes_cmac,
                                           vectors::array_of<16>(setup, "bound_with"));
    for (const std::size_t bound : {2, 3, 4})
      EXPECT_TRUE(verify(*first_channel, messages[bound])) << bound;
  }
}

TEST(SessionSetup, VerifiesEverySignedFrameOfSambaInEveryDialect) {
  const auto& all = vectors::captured().at("sessions");
  ASSERT_EQ(all.size(), 5u);

  for (const auto& session : all) {
    SCOPED_TRACE(session.at("dialect").get<std::string>());
    const auto negotiated =
        static_cast<dialect>(std::stoul(session.at("dialect").get<std::string>(), nullptr, 16));
    std::vector<byte_string> messages;
    for (const auto& message : session.at("messages"))
      messages.push_back(hex(message.get<std::string>()));
    // DialectRevision of the NEGOTIATE response.
    ASSERT_EQ(wire::load_le<smb2::u16>(messages[1].data() + 68), static_cast<int>(negotiated));

    const auto key =
        session_key_of(tokens_of(messages), vectors::captured().at("password").get<std::string>());
    const auto keys = derive_keys(negotiated, key, preauth_of(messages));
    const auto signer = make_signer(negotiated, signing_algorithm::aes_gmac, keys.signing);
    for (std::size_t i = 5; i < messages.size(); ++i)
      EXPECT_TRUE(verify(*signer, messages[i])) << i;
  }
}

TEST(SessionSetup, DetectsEveryChangedByteOfACapturedFrame) {
  for (const auto& session : vectors::captured().at("sessions")) {
    const auto negotiated =
        static_cast<dialect>(std::stoul(session.at("dialect").get<std::string>(), nullptr, 16));
    std::vector<byte_string> messages;
    for (const auto& message : session.at("messages"))
      messages.push_back(hex(message.get<std::string>()));
    const auto key =
        session_key_of(tokens_of(messages), vectors::captured().at("password").get<std::string>());
    const auto keys = derive_keys(negotiated, key, preauth_of(messages));
    const auto signer = make_signer(negotiated, signing_algorithm::aes_gmac, keys.signing);

    for (const std::size_t frame : {5u, 6u}) {
      for (std::size_t at = 0; at < messages[frame].size(); ++at) {
        auto bad = messages[frame];
        bad[at] ^= std::byte{0x20};
        EXPECT_FALSE(verify(*signer, bad)) << frame << ' ' << at;
      }
    }
  }
}

TEST(SessionSetup, EndsInTheSameKeysOnBothSidesOfOurs) {
  // Our client against our server, each with its own chain, as SESSION_SETUP would carry them.
  auto client = sample_client();
  spnego_server server;
  const auto first = server.first(client.step({}).value());
  const auto second = client.step(first).value();
  const auto last = server.last(second);
  preauth_sha512 ours, theirs;
  for (const auto* message : {&first, &second}) {
    const bytes whole[] = {*message};
    ours.update(whole);
    theirs.update(vectors::cut(*message, {1}));
  }

  const auto client_keys = derive_keys(dialect::smb_3_1_1, client.session_key(), ours.value());
  const auto server_keys = derive_keys(dialect::smb_3_1_1, server.ntlm.session_key, theirs.value());
  EXPECT_EQ(to_hex(client_keys.signing), to_hex(server_keys.signing));
  EXPECT_TRUE(client.step(last).has_value());
  EXPECT_TRUE(client.done());
}

} // namespace
