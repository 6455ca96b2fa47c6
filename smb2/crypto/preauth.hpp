#pragma once

#include "smb2/crypto/openssl.hpp"
#include "smb2/preauth.hpp"

#include <array>

namespace smb2::crypto {

/// PreauthIntegrityHashValue (MS-SMB2 3.2.1.2).
using preauth_value = std::array<std::byte, 64>;

/// The hash with SHA-512, the only one that 3.1.1 has. A session starts with a copy of its
/// connection's. Belongs to one strand.
/// · source: MS-SMB2 3.2.5.2, 3.2.5.3; FIPS 180-4
class preauth_sha512 final : public preauth_hash {
 public:
  preauth_sha512();
  preauth_sha512(const preauth_sha512& other);
  preauth_sha512& operator=(const preauth_sha512& other);

  void update(std::span<const bytes> segments) override;

  [[nodiscard]] const preauth_value& value() const noexcept { return value_; }

 private:
  detail::owned<evp_md_st> sha512_;
  detail::owned<evp_md_ctx_st> context_;
  preauth_value value_{};
};

} // namespace smb2::crypto
