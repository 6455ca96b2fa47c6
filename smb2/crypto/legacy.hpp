#pragma once

#include "smb2/crypto/mac.hpp"
#include "smb2/crypto/openssl.hpp"

#include <expected>
#include <system_error>

namespace smb2::crypto {

using digest_128 = std::array<std::byte, 16>;

/// A running RC4 key stream.
class rc4 {
 public:
  /// Encrypts or decrypts in place and moves the stream on.
  void apply(std::span<std::byte> data);

 private:
  friend class legacy;
  explicit rc4(detail::owned<evp_cipher_ctx_st> context) noexcept : context_(std::move(context)) {}
  detail::owned<evp_cipher_ctx_st> context_;
};

/// The broken algorithms that NTLM is made of: MD4, MD5, HMAC-MD5, RC4. They live in a library
/// context of their own, so that neither the rest of the program gets to use them nor the system's
/// configuration of OpenSSL takes them away. Who holds a legacy has proof that they are there.
/// · source: RFC 1320, RFC 1321, RFC 2104; MS-NLMP section 6
class legacy {
 public:
  /// Loads the provider; `modules_folder` is for tests. errc::legacy_provider_missing where there
  /// is none.
  [[nodiscard]] static std::expected<legacy, std::error_code>
  load(const char* modules_folder = nullptr);

  /// The one of this process, loaded at its first use; may be used by several threads.
  [[nodiscard]] static std::expected<const legacy*, std::error_code> instance();

  [[nodiscard]] digest_128 md4(wire::bytes data) const;
  [[nodiscard]] digest_128 md5(pieces data) const;
  [[nodiscard]] digest_128 hmac_md5(wire::bytes key, pieces data) const;
  /// The key has 1 to 256 bytes.
  [[nodiscard]] rc4 rc4_with(wire::bytes key) const;

 private:
  legacy() = default;

  // In this order, because the last is freed first.
  detail::owned<ossl_lib_ctx_st> library_;
  detail::owned<ossl_provider_st> default_provider_;
  detail::owned<ossl_provider_st> legacy_provider_;
  detail::owned<evp_md_st> md4_;
  detail::owned<evp_md_st> md5_;
  detail::owned<evp_mac_st> hmac_;
  detail::owned<evp_cipher_st> rc4_;
};

} // namespace smb2::crypto
