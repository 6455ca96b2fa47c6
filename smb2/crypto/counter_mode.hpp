#pragma once

#include "smb2/crypto/mac.hpp"
#include "smb2/dialect.hpp"

#include <expected>
#include <system_error>

namespace smb2::crypto {

/// The counter mode underneath AES-CCM and AES-GCM: decrypts the start of a message of which the
/// rest, and so the tag's proof, is not at hand. What comes out is as good as what went in. One
/// object serves any number of messages with one key and belongs to one strand.
/// · bytes: nonce of 11 (CCM) or 12 (GCM) bytes
/// · source: NIST SP 800-38C appendix A.3, 800-38D section 7.1, RFC 3610 section 2.3
class counter_mode {
 public:
  /// errc::bad_key_length, or errc::unsupported_algorithm for cipher::none and unknown numbers.
  [[nodiscard]] static std::expected<counter_mode, std::error_code> create(cipher algorithm,
                                                                           wire::bytes key);

  /// `sealed` starts where the message does; `out` is as long, and the same bytes or apart.
  void decrypt_start(wire::bytes nonce, wire::bytes sealed, std::span<std::byte> out);

 private:
  counter_mode() = default;

  detail::owned<evp_cipher_st> cipher_;
  detail::owned<evp_cipher_ctx_st> context_;
  std::array<std::byte, 32> key_{};
  bool ccm_ = false;
};

} // namespace smb2::crypto
