#pragma once

#include "smb2/crypto/openssl.hpp"
#include "wire/bytes.hpp"

#include <array>
#include <span>

namespace smb2::crypto {

using key_128 = std::array<std::byte, 16>;

/// A message in pieces, in wire order: header, fixed part, borrowed payload.
using pieces = std::span<const wire::bytes>;

/// A keyed MAC whose key schedule is made once; computing one sets back the context and fetches
/// nothing. Belongs to one strand.
/// · source: RFC 2104 and FIPS 180-4 (HMAC-SHA256), RFC 4493 (AES-128-CMAC)
class mac {
 public:
  [[nodiscard]] static mac hmac_sha256(wire::bytes key);
  [[nodiscard]] static mac aes_128_cmac(const key_128& key);

  /// 32 for HMAC-SHA256, 16 for CMAC.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void begin();
  void update(wire::bytes data);
  /// `out` holds at least size() bytes.
  void finish(std::span<std::byte> out);

 private:
  mac(detail::owned<evp_mac_ctx_st> context, std::size_t size) noexcept
      : context_(std::move(context)), size_(size) {}

  detail::owned<evp_mac_ctx_st> context_;
  std::size_t size_;
};

/// AES-128-GMAC: the tag of GCM over data that is authenticated only.
/// · source: NIST SP 800-38D, RFC 4543
class gmac {
 public:
  static constexpr std::size_t nonce_bytes = 12;

  explicit gmac(const key_128& key);

  /// A nonce may be used once per key: SMB2 takes it from the MessageId.
  void begin(std::span<const std::byte, nonce_bytes> nonce);
  void update(wire::bytes data);
  void finish(std::span<std::byte, 16> out);

 private:
  detail::owned<evp_cipher_ctx_st> context_;
};

} // namespace smb2::crypto
