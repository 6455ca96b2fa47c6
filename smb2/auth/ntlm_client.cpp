#include "smb2/auth/ntlm_client.hpp"

#include "smb2/auth/error.hpp"
#include "smb2/auth/spnego_client.hpp"
#include "smb2/crypto/random.hpp"

#include <algorithm>

namespace smb2::auth {
namespace {

namespace flag = ntlm_flag;

constexpr u32 requested_flags = flag::unicode | flag::request_target | flag::sign | flag::ntlm |
                                flag::always_sign | flag::extended_session_security |
                                flag::version | flag::key_128 | flag::key_exchange | flag::key_56;
/// What AUTHENTICATE may repeat of the challenge's flags.
constexpr u32 accepted_flags = requested_flags | flag::target_info;
/// Without these there is no NTLMv2, no text that we can read, or no key.
constexpr u32 required_flags = flag::unicode | flag::extended_session_security | flag::target_info;

/// MsvAvFlags: AUTHENTICATE has a MIC.
constexpr u32 mic_provided = 0x0000'0002;

/// 6.1, build 0, NTLMSSP_REVISION_W2K3: for logs only; the revision is what counts.
constexpr ntlm_version our_version{std::byte{6}, std::byte{1}, std::byte{0}, std::byte{0},
                                   std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x0F}};

std::unexpected<std::error_code> error(errc code) {
  return std::unexpected(make_error_code(code));
}

std::error_code assign(utf16_string& to, std::string_view text, std::size_t max) {
  auto converted = to_utf16(text);
  if (!converted) return errc::not_utf8;
  if (converted->data.size() > max) return errc::too_long;
  to = std::move(*converted);
  return {};
}

} // namespace

std::expected<std::unique_ptr<ntlm_client>, std::error_code>
ntlm_client::create(const legacy& with, const credentials& who, std::string_view server,
                    const ntlm_inputs& inputs) {
  if (who.user.empty() && !who.anonymous) return error(errc::no_user);

  std::unique_ptr<ntlm_client> it(new ntlm_client(with, inputs));
  it->anonymous_ = who.anonymous;
  it->channel_bindings_ = who.channel_bindings;
  if (const auto bad = assign(it->workstation_, who.workstation, ntlm_name_bytes_max))
    return std::unexpected(bad);
  if (who.anonymous) return it;

  utf16_string password;
  if (const auto bad = assign(it->user_, who.user, ntlm_name_bytes_max))
    return std::unexpected(bad);
  if (const auto bad = assign(it->domain_, who.domain, ntlm_name_bytes_max))
    return std::unexpected(bad);
  if (const auto bad = assign(it->target_name_, "cifs/" + std::string(server), ntlm_name_bytes_max))
    return std::unexpected(bad);
  if (const auto bad = assign(password, who.password, ~std::size_t{0})) return std::unexpected(bad);
  // Only the hash is kept.
  it->ntowf_v2_ =
      ntowf_v2(with, nt_hash(with, password.view()), it->user_.view(), it->domain_.view());
  return it;
}

bytes ntlm_client::oid() const noexcept {
  return auth::oid::ntlmssp();
}

bytes ntlm_client::session_key() const noexcept {
  if (!complete() || anonymous_) return {};
  return exported_session_key_;
}

token ntlm_client::sign(bytes message) {
  if (!to_server_) return {};
  const auto mic = to_server_->sign(message);
  return {mic.begin(), mic.end()};
}

bool ntlm_client::verify(bytes message, bytes mic) {
  return to_client_ && to_client_->verify(message, mic);
}

token_result ntlm_client::step(bytes from_server) {
  switch (state_) {
  case state::start:
    if (!from_server.empty()) return error(errc::unexpected_token);
    state_ = state::negotiate_sent;
    return negotiate();
  case state::negotiate_sent:
    return authenticate(from_server);
  case state::complete:
    break;
  }
  return error(errc::unexpected_token);
}

token ntlm_client::negotiate() {
  negotiate_message message;
  message.flags = requested_flags;
  message.version = our_version;
  negotiate_bytes_ = encode_ntlm(message);
  return negotiate_bytes_;
}

token_result ntlm_client::authenticate(bytes challenge_bytes) {
  const auto challenge = decode_ntlm<challenge_message>(challenge_bytes);
  if (!challenge) return error(errc::malformed_token);
  if (anonymous_) return authenticate_anonymously(*challenge);
  if ((challenge->flags & required_flags) != required_flags) return error(errc::weak_challenge);
  if (challenge->target_info.size() > target_info_bytes_max) return error(errc::malformed_token);
  const auto pairs = decode_av_pairs(challenge->target_info);
  if (!pairs) return error(errc::malformed_token);

  // A server that tells its time is new enough for the MIC, and then wants no LM response.
  const auto server_time = find(*pairs, av_id::timestamp);
  if (server_time && server_time->size() != 8) return error(errc::malformed_token);
  const bool with_mic = server_time.has_value();

  const auto target_info = target_info_of(*pairs, with_mic);
  const auto temp = encode_client_challenge(
      {.timestamp = with_mic ? wire::load_le<u64>(server_time->data()) : inputs_.now,
       .challenge = inputs_.client_challenge,
       .av_pairs = target_info});
  const auto proof = prove(*with_, ntowf_v2_, challenge->server_challenge, temp);
  std::vector<std::byte> nt_response(proof.nt_proof_str.begin(), proof.nt_proof_str.end());
  nt_response.insert(nt_response.end(), temp.begin(), temp.end());
  std::array<std::byte, 24> lm_response{};
  if (!with_mic)
    lm_response =
        lmv2_response(*with_, ntowf_v2_, challenge->server_challenge, inputs_.client_challenge);

  authenticate_message message;
  message.lm_response = lm_response;
  message.nt_response = nt_response;
  message.domain = domain_.data;
  message.user = user_.data;
  message.workstation = workstation_.data;
  message.flags = challenge->flags & accepted_flags;
  message.version = our_version;
  if (with_mic) message.mic.emplace();
  key_128 encrypted{};
  agree_on_key(proof.session_base_key, message, encrypted);

  auto out = encode_ntlm(message);
  if (with_mic) {
    const auto mic =
        message_integrity(*with_, exported_session_key_, negotiate_bytes_, challenge_bytes, out);
    std::ranges::copy(mic, out.begin() + authenticate_message::mic_offset);
  }
  state_ = state::complete;
  return out;
}

/// MS-NLMP 3.2.5.1.2: no NT response, an LM response of one zero byte, no key.
token_result ntlm_client::authenticate_anonymously(const challenge_message& challenge) {
  if ((challenge.flags & flag::unicode) == 0) return error(errc::weak_challenge);
  const std::byte lm_response{};
  authenticate_message message;
  message.lm_response = bytes(&lm_response, 1);
  message.workstation = workstation_.data;
  message.flags = (challenge.flags & accepted_flags & ~flag::key_exchange) | flag::anonymous;
  message.version = our_version;
  state_ = state::complete;
  return encode_ntlm(message);
}

/// The server's pairs, and ours behind them.
std::vector<std::byte> ntlm_client::target_info_of(std::span<const av_pair> pairs,
                                                   bool with_mic) const {
  std::vector<av_pair> out;
  u32 flags = with_mic ? mic_provided : 0;
  for (const auto& pair : pairs) {
    switch (pair.id) {
    case av_id::flags:
      if (pair.value.size() == 4) flags |= wire::load_le<u32>(pair.value.data());
      break;
    // What a client says of itself is not the server's to say.
    case av_id::single_host:
    case av_id::target_name:
    case av_id::channel_bindings:
      break;
    default:
      out.push_back(pair);
    }
  }
  std::array<std::byte, 4> flag_bytes;
  wire::store_le(flag_bytes.data(), flags);
  if (flags != 0) out.push_back({av_id::flags, flag_bytes});
  out.push_back({av_id::channel_bindings, channel_bindings_});
  out.push_back({av_id::target_name, target_name_.data});
  return encode_av_pairs(out);
}

void ntlm_client::agree_on_key(const digest_128& key_exchange_key, authenticate_message& message,
                               key_128& encrypted) {
  if ((message.flags & flag::key_exchange) != 0) {
    exported_session_key_ = encrypted = inputs_.session_key;
    with_->rc4_with(key_exchange_key).apply(encrypted);
    message.encrypted_session_key = encrypted;
  } else {
    exported_session_key_ = key_exchange_key;
  }
  to_server_.emplace(*with_, exported_session_key_, message.flags,
                     ntlm_direction::client_to_server);
  to_client_.emplace(*with_, exported_session_key_, message.flags,
                     ntlm_direction::server_to_client);
}

std::expected<std::unique_ptr<authenticator>, std::error_code>
make_ntlm_authenticator(const credentials& who, std::string_view server, filetime now) {
  const auto algorithms = legacy::instance();
  if (!algorithms) return std::unexpected(algorithms.error());
  const ntlm_inputs inputs{.client_challenge = crypto::random_bytes<8>(),
                           .session_key = crypto::random_bytes<16>(),
                           .now = now};
  auto ntlm = ntlm_client::create(**algorithms, who, server, inputs);
  if (!ntlm) return std::unexpected(ntlm.error());
  std::vector<std::unique_ptr<mechanism>> mechanisms;
  mechanisms.push_back(std::move(*ntlm));
  return std::make_unique<spnego_client>(std::move(mechanisms));
}

} // namespace smb2::auth
