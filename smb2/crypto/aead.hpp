#pragma once

#include "smb2/crypto/mac.hpp"
#include "smb2/dialect.hpp"

#include <expected>
#include <system_error>

namespace smb2::crypto {

using aead_tag = std::array<std::byte, 16>;

/// AES-CCM and AES-GCM with 128- and 256-bit keys, the ciphers of SMB2_TRANSFORM_HEADER. One object
/// seals or opens any number of messages with one key and belongs to one strand.
/// · bytes: nonce of 11 (CCM) or 12 (GCM) bytes, tag of 16, cipher text as long as the plain text
/// · source: MS-SMB2 3.1.4.3, RFC 5116 section 5, NIST SP 800-38C and 38D
class aead {
 public:
  /// errc::bad_key_length, or errc::unsupported_algorithm for cipher::none and unknown numbers.
  [[nodiscard]] static std::expected<aead, std::error_code> create(cipher algorithm,
                                                                   wire::bytes key);

  [[nodiscard]] std::size_t nonce_bytes() const noexcept { return nonce_bytes_; }

  /// Encrypts `plain` into `out`, which has the size of all pieces together. A nonce is used once
  /// per key: that is the caller's to ensure.
  [[nodiscard]] aead_tag seal(wire::bytes nonce, wire::bytes associated, pieces plain,
                              std::span<std::byte> out);

  /// Decrypts into `out`, as long as `sealed` and either the same bytes or apart from them. False,
  /// with `out` zeroed, where the tag does not fit what was received.
  [[nodiscard]] bool open(wire::bytes nonce, wire::bytes associated, wire::bytes sealed,
                          const aead_tag& tag, std::span<std::byte> out);

 private:
  aead() = default;

  detail::owned<evp_cipher_st> cipher_;
  detail::owned<evp_cipher_ctx_st> context_;
  std::array<std::byte, 32> key_{};
  std::size_t nonce_bytes_ = 0;
  bool ccm_ = false;
};

} // namespace smb2::crypto
