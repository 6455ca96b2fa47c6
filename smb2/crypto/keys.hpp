#pragma once

#include "smb2/crypto/mac.hpp"
#include "smb2/crypto/preauth.hpp"
#include "smb2/dialect.hpp"

namespace smb2::crypto {

/// A key for sealing: 16 bytes, or 32 for the AES-256 ciphers, or none.
struct cipher_key {
  std::array<std::byte, 32> data{};
  std::size_t size = 0;

  [[nodiscard]] wire::bytes view() const noexcept { return wire::bytes(data).first(size); }
};

/// The keys of one session, named from the client's side: `encryption` is client to server.
/// · source: MS-SMB2 3.2.1.3
struct session_keys {
  key_128 signing{};
  key_128 application{};
  cipher_key encryption;
  cipher_key decryption;
};

/// Derives the keys from what authentication gave. Below 3.0 the session key itself signs and there
/// is nothing to seal with. `hash` counts on 3.1.1 only; a key shorter than 16 bytes is filled up
/// with zeros, of a longer one all but the AES-256 sealing keys use the first 16.
/// For a further channel of a session only `signing` is taken from the result.
/// · source: MS-SMB2 3.1.4.2, 3.2.5.3.1, 3.2.5.3.3
[[nodiscard]] session_keys derive_keys(dialect negotiated, wire::bytes session_key,
                                       const preauth_value& hash, cipher sealing = cipher::none);

/// SP800-108 in counter mode with HMAC-SHA256, r = 32: out = first bytes of
/// PRF(key, 00000001 ‖ fixed) ‖ PRF(key, 00000002 ‖ fixed)…
void kdf_counter(wire::bytes key, pieces fixed, std::span<std::byte> out);

/// The form SMB2 uses: fixed = label ‖ 00 ‖ context ‖ L, where L is the bits of `out`. The NUL that
/// MS-SMB2 counts into its labels and contexts belongs to the arguments.
/// · source: NIST SP800-108 section 5.1, MS-SMB2 3.1.4.2
void kdf_counter(wire::bytes key, wire::bytes label, wire::bytes context, std::span<std::byte> out);

} // namespace smb2::crypto
