#pragma once

#include "smb2/auth/ntlm_client.hpp"
#include "smb2/auth/spnego_client.hpp"
#include "vectors.hpp"

#include <functional>
#include <string>

/// The far end of the authentication tests: an NTLM server and a SPNEGO acceptor of our own, which
/// can be told to behave badly.
namespace auth_support {

using smb2::bytes;
using smb2::u32;
using smb2::u64;
using vectors::byte_string;

using smb2::auth::authenticate_message;
using smb2::auth::av_id;
using smb2::auth::av_pair;
using smb2::auth::challenge_message;
using smb2::auth::credentials;
using smb2::auth::key_128;
using smb2::auth::legacy;
using smb2::auth::mechanism;
using smb2::auth::neg_state;
using smb2::auth::neg_token_init;
using smb2::auth::neg_token_resp;
using smb2::auth::ntlm_challenge;
using smb2::auth::ntlm_client;
using smb2::auth::ntlm_direction;
using smb2::auth::ntlm_inputs;
using smb2::auth::ntlm_signature_stream;
using smb2::auth::spnego_client;
namespace ntlm_flag = smb2::auth::ntlm_flag;
namespace oid = smb2::auth::oid;

/// No error where there is a value: so that a test which expects one fails and does not crash.
template <class T>
std::error_code error_of(const std::expected<T, std::error_code>& result) {
  return result ? std::error_code() : result.error();
}
template <class T>
wire::errc code_of(const std::expected<T, wire::decode_error>& result) {
  return result ? wire::errc::ok : result.error().code;
}

inline const legacy& algorithms() {
  const auto loaded = legacy::instance();
  if (!loaded) throw std::system_error(loaded.error());
  return **loaded;
}

inline smb2::utf16_string utf16(std::string_view text) {
  auto out = smb2::to_utf16(text);
  if (!out) throw std::invalid_argument(out.error());
  return std::move(*out);
}

inline constexpr ntlm_inputs sample_inputs{
    .client_challenge = {std::byte{0xAA}, std::byte{0xAA}, std::byte{0xAA}, std::byte{0xAA},
                         std::byte{0xAA}, std::byte{0xAA}, std::byte{0xAA}, std::byte{0xAA}},
    .session_key = {std::byte{0x55}, std::byte{0x55}, std::byte{0x55}, std::byte{0x55},
                    std::byte{0x55}, std::byte{0x55}, std::byte{0x55}, std::byte{0x55},
                    std::byte{0x55}, std::byte{0x55}, std::byte{0x55}, std::byte{0x55},
                    std::byte{0x55}, std::byte{0x55}, std::byte{0x55}, std::byte{0x55}},
    .now = 0x01D0'AECB'ADF5'A1A1};

/// What an NTLM server says and knows.
struct ntlm_server {
  std::string user = "user";
  std::string domain = "DOMAIN";
  std::string password = "Password1";
  ntlm_challenge challenge = vectors::array_of<8>(vectors::hex("0123456789abcdef"));
  u32 flags = 0xE28A'8215;
  byte_string timestamp = vectors::hex("a1a1f5adcbaed001"); ///< empty: it tells no time
  byte_string target_name = utf16("SERVER").data;

  // Seen and computed.
  byte_string negotiate_bytes{}, challenge_bytes{};
  key_128 session_key{};
  std::string wrong{}; ///< why the last AUTHENTICATE was not believed

  byte_string answer_negotiate(bytes negotiate) {
    negotiate_bytes.assign(negotiate.begin(), negotiate.end());
    std::vector<av_pair> pairs{{av_id::nb_domain_name, target_name},
                               {av_id::nb_computer_name, target_name}};
    if (!timestamp.empty()) pairs.push_back({av_id::timestamp, timestamp});
    const auto info = smb2::auth::encode_av_pairs(pairs);
    challenge_message message;
    message.target_name = target_name;
    message.flags = flags;
    message.server_challenge = challenge;
    message.target_info = info;
    message.version.emplace();
    challenge_bytes = smb2::auth::encode_ntlm(message);
    return challenge_bytes;
  }

  /// What MS-NLMP 3.2.5.1.2 asks of a server; false says why in `wrong`.
  bool accept(bytes authenticate) {
    const auto message = smb2::auth::decode_ntlm<authenticate_message>(authenticate);
    if (!message) return refuse(wire::describe(message.error()));
    if (message->nt_response.size() < 16 + 28) return refuse("no NTLMv2 response");
    const auto temp = message->nt_response.subspan(16);
    const auto ntowf = smb2::auth::ntowf_v2(
        algorithms(), smb2::auth::nt_hash(algorithms(), utf16(password).view()), utf16(user).view(),
        smb2::utf16_view(message->domain));
    const auto proof = smb2::auth::prove(algorithms(), ntowf, challenge, temp);
    if (!std::ranges::equal(proof.nt_proof_str, message->nt_response.first(16)))
      return refuse("wrong NTProofStr");

    session_key = proof.session_base_key;
    if ((message->flags & ntlm_flag::key_exchange) != 0) {
      if (message->encrypted_session_key.size() != 16) return refuse("no session key");
      std::ranges::copy(message->encrypted_session_key, session_key.begin());
      algorithms().rc4_with(proof.session_base_key).apply(session_key);
    }
    return mic_is_good(*message, temp, authenticate);
  }

  [[nodiscard]] ntlm_signature_stream stream(ntlm_direction direction) const {
    return {algorithms(), session_key, flags, direction};
  }

 private:
  bool refuse(std::string why) {
    wrong = std::move(why);
    return false;
  }

  bool mic_is_good(const authenticate_message& message, bytes temp, bytes authenticate) {
    const auto blob = smb2::auth::decode_client_challenge(temp);
    if (!blob) return refuse("no client challenge");
    const auto pairs = smb2::auth::decode_av_pairs(blob->av_pairs);
    if (!pairs) return refuse("no AV pairs");
    const auto av_flags = smb2::auth::find(*pairs, av_id::flags);
    const bool promised = av_flags && (std::to_integer<int>(av_flags->front()) & 2) != 0;
    if (promised != message.mic.has_value()) return refuse("MIC and MsvAvFlags disagree");
    if (promised &&
        *message.mic != smb2::auth::message_integrity(algorithms(), session_key, negotiate_bytes,
                                                      challenge_bytes, authenticate))
      return refuse("wrong MIC");
    return true;
  }
};

/// A SPNEGO acceptor around it.
struct spnego_server {
  ntlm_server ntlm{};
  bool send_mic = true;
  bool spoil_mic = false;
  bool request_mic = false;
  bool state_in_last = true;

  byte_string mech_types{}; ///< what the client listed, as its MIC covers it
  bool client_mic_seen = false;
  bool client_mic_good = false;
  bool accepted = false;

  byte_string first(bytes token) {
    const auto init = smb2::auth::decode_spnego<neg_token_init>(token);
    if (!init || !init->mech_token) throw std::runtime_error("no NegTokenInit with a token");
    mech_types = smb2::auth::encode_mech_types(init->mech_types);
    const auto answer = ntlm.answer_negotiate(*init->mech_token);
    neg_token_resp out;
    out.state = request_mic ? neg_state::request_mic : neg_state::accept_incomplete;
    out.supported_mech = oid::ntlmssp();
    out.response_token = bytes(answer);
    return smb2::auth::encode_spnego(out);
  }

  byte_string last(bytes token) {
    const auto resp = smb2::auth::decode_spnego<neg_token_resp>(token);
    if (!resp || !resp->response_token) throw std::runtime_error("no NegTokenResp with a token");
    accepted = ntlm.accept(*resp->response_token);
    neg_token_resp out;
    out.state = accepted ? neg_state::accept_completed : neg_state::reject;
    if (!accepted) return smb2::auth::encode_spnego(out);
    if (resp->mech_list_mic) {
      client_mic_seen = true;
      auto from_client = ntlm.stream(ntlm_direction::client_to_server);
      client_mic_good = from_client.verify(mech_types, *resp->mech_list_mic);
    }
    auto to_client = ntlm.stream(ntlm_direction::server_to_client);
    auto mic = to_client.sign(mech_types);
    if (spoil_mic) mic[5] ^= std::byte{1};
    if (send_mic) out.mech_list_mic = bytes(mic);
    return smb2::auth::encode_spnego(out);
  }
};

inline credentials sample_user() {
  return {.user = "user", .password = "Password1", .domain = "DOMAIN", .workstation = "WS"};
}

inline std::unique_ptr<ntlm_client> sample_ntlm(const credentials& who = sample_user(),
                                                std::string_view server = "server") {
  auto made = ntlm_client::create(algorithms(), who, server, sample_inputs);
  if (!made) throw std::system_error(made.error());
  return std::move(*made);
}

inline spnego_client sample_client(const credentials& who = sample_user()) {
  std::vector<std::unique_ptr<mechanism>> mechanisms;
  mechanisms.push_back(sample_ntlm(who));
  return spnego_client(std::move(mechanisms));
}

/// The SecurityBuffer of a SESSION_SETUP or NEGOTIATE message: the (offset, length) pair stands
/// where MS-SMB2 2.2.4, 2.2.5 and 2.2.6 put it.
inline bytes security_buffer(bytes message) {
  const auto command = wire::load_le<smb2::u16>(message.data() + 12);
  const bool response = (message[16] & std::byte{1}) != std::byte{};
  const std::size_t pair = command == 0 ? 64 + 56 : response ? 64 + 4 : 64 + 12;
  const auto offset = wire::load_le<smb2::u16>(message.data() + pair);
  const auto length = wire::load_le<smb2::u16>(message.data() + pair + 2);
  return message.subspan(offset, length);
}

} // namespace auth_support
