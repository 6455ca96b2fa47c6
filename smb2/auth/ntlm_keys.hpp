#pragma once

#include "smb2/auth/ntlm_message.hpp"
#include "smb2/crypto/legacy.hpp"
#include "smb2/utf16.hpp"

/// The arithmetic of NTLMv2.
/// · source: MS-NLMP 3.3.2, 3.4
namespace smb2::auth {

using crypto::digest_128;
using crypto::key_128;
using crypto::legacy;

/// NTOWFv1: MD4 of the password in UTF-16LE.
[[nodiscard]] digest_128 nt_hash(const legacy& with, utf16_view password);

/// NTOWFv2. The user's name is made upper case by Unicode's simple mapping, the domain is not.
[[nodiscard]] digest_128 ntowf_v2(const legacy& with, const digest_128& nt_hash, utf16_view user,
                                  utf16_view domain);

/// Simple upper case, unit by unit: what has none, and surrogates, stay.
[[nodiscard]] utf16_string to_upper(utf16_view text);

struct ntlmv2_proof {
  digest_128 nt_proof_str{};
  digest_128 session_base_key{}; ///< with NTLMv2 it is the KeyExchangeKey too
};

/// `temp` is the encoded client_challenge; NtChallengeResponse is nt_proof_str ‖ temp.
[[nodiscard]] ntlmv2_proof prove(const legacy& with, const digest_128& ntowf_v2,
                                 const ntlm_challenge& server, bytes temp);

/// LmChallengeResponse of NTLMv2: HMAC-MD5 over both challenges, and the client's.
[[nodiscard]] std::array<std::byte, 24> lmv2_response(const legacy& with,
                                                      const digest_128& ntowf_v2,
                                                      const ntlm_challenge& server,
                                                      const ntlm_challenge& client);

/// The MIC of AUTHENTICATE: HMAC-MD5 over the three messages, its own field taken as zero.
/// · source: MS-NLMP 3.1.5.1.2
[[nodiscard]] ntlm_mic message_integrity(const legacy& with, const key_128& exported_session_key,
                                         bytes negotiate, bytes challenge, bytes authenticate);

enum class ntlm_direction : u8 { client_to_server, server_to_client };

/// Signs what one side sends, with its running key stream and sequence number from 0. Both ends
/// keep one for each direction.
/// · source: MS-NLMP 3.4.4.2, 3.4.5.2, 3.4.5.3 (extended session security)
class ntlm_signature_stream {
 public:
  static constexpr std::size_t signature_bytes = 16;

  ntlm_signature_stream(const legacy& with, const key_128& exported_session_key, u32 flags,
                        ntlm_direction direction);

  /// NTLMSSP_MESSAGE_SIGNATURE of the next message of this direction.
  [[nodiscard]] std::array<std::byte, signature_bytes> sign(bytes message);

  /// Signs too and compares, so it moves on whatever the answer is.
  [[nodiscard]] bool verify(bytes message, bytes signature);

  [[nodiscard]] const digest_128& signing_key() const noexcept { return signing_key_; }
  [[nodiscard]] const digest_128& sealing_key() const noexcept { return sealing_key_; }

 private:
  const legacy* with_;
  digest_128 signing_key_;
  digest_128 sealing_key_;
  crypto::rc4 sealing_;
  bool key_exchange_;
  u32 sequence_ = 0;
};

} // namespace smb2::auth
