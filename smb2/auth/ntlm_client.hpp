#pragma once

#include "smb2/auth/credentials.hpp"
#include "smb2/auth/ntlm_keys.hpp"

#include <memory>
#include <optional>
#include <string>

namespace smb2::auth {

/// What NTLM must draw or read off a clock, given from outside, so that the exchange is a function
/// of its inputs.
struct ntlm_inputs {
  ntlm_challenge client_challenge{}; ///< random
  key_128 session_key{};             ///< random; becomes the session key if keys are exchanged
  filetime now = 0;                  ///< used if the server tells no time
};

/// Ours: of each name, in UTF-16LE. Windows takes 256 units of a user and 255 of a domain.
inline constexpr std::size_t ntlm_name_bytes_max = 1024;
/// Ours: of TargetInfo, so that our copy of it in AUTHENTICATE fits a SecurityBuffer.
inline constexpr std::size_t target_info_bytes_max = 32'768;

/// The client's side of NTLMv2 with extended session security: NEGOTIATE, then AUTHENTICATE with
/// the MIC (if the server tells the time) and the key exchange. LM, NTLMv1 and challenges without
/// TargetInfo are refused.
/// · source: MS-NLMP 3.1.5.1, 3.3.2
class ntlm_client final : public mechanism {
 public:
  /// `server` is the host as the user named it; it becomes the target name "cifs/server".
  /// `with` outlives the client. errc::no_user, not_utf8, too_long.
  [[nodiscard]] static std::expected<std::unique_ptr<ntlm_client>, std::error_code>
  create(const legacy& with, const credentials& who, std::string_view server,
         const ntlm_inputs& inputs);

  [[nodiscard]] bytes oid() const noexcept override;
  [[nodiscard]] token_result step(bytes from_server) override;
  [[nodiscard]] bool complete() const noexcept override { return state_ == state::complete; }
  [[nodiscard]] bytes session_key() const noexcept override;
  [[nodiscard]] bool has_integrity() const noexcept override { return to_server_.has_value(); }
  [[nodiscard]] token sign(bytes message) override;
  [[nodiscard]] bool verify(bytes message, bytes mic) override;

 private:
  enum class state : u8 { start, negotiate_sent, complete };

  ntlm_client(const legacy& with, const ntlm_inputs& inputs) : with_(&with), inputs_(inputs) {}
  token negotiate();
  token_result authenticate(bytes challenge_bytes);
  token_result authenticate_anonymously(const challenge_message& challenge);
  [[nodiscard]] std::vector<std::byte> target_info_of(std::span<const av_pair> pairs,
                                                      bool with_mic) const;
  void agree_on_key(const digest_128& key_exchange_key, authenticate_message& message,
                    key_128& encrypted);

  const legacy* with_;
  ntlm_inputs inputs_;
  utf16_string user_;
  utf16_string domain_;
  utf16_string workstation_;
  utf16_string target_name_;
  digest_128 ntowf_v2_{};
  std::array<std::byte, 16> channel_bindings_{};
  bool anonymous_ = false;

  state state_ = state::start;
  std::vector<std::byte> negotiate_bytes_;
  key_128 exported_session_key_{};
  std::optional<ntlm_signature_stream> to_server_;
  std::optional<ntlm_signature_stream> to_client_;
};

/// NTLM in SPNEGO, ready to use: loads the algorithms and draws the random parts.
/// · errors: those of ntlm_client::create, crypto::errc::legacy_provider_missing
[[nodiscard]] std::expected<std::unique_ptr<authenticator>, std::error_code>
make_ntlm_authenticator(const credentials& who, std::string_view server, filetime now);

} // namespace smb2::auth
