#pragma once

#include "smb2/crypto/aead.hpp"
#include "smb2/crypto/keys.hpp"
#include "smb2/sealer.hpp"

#include <memory>

namespace smb2::crypto {

/// Messages that one key may seal. Of nonces that count there are 2^64; CCM lets a key work on 2^61
/// blocks, and the longest message takes 2^21 of them (NIST SP 800-38C 5.3, SP 800-38D 8.3).
inline constexpr u64 sealed_messages_max = u64{1} << 40;

/// Seals with `keys.encryption` and opens with `keys.decryption`; a server swaps the two.
/// nullptr: the keys are none of this cipher, or OpenSSL does not have it.
/// · nonces: a counter of 64 bits that starts at random, then random bytes that stay: none comes
///   back under one key, and two keys that are the same by accident hardly share any.
/// · source: MS-SMB2 2.2.41, 3.1.4.3
[[nodiscard]] std::unique_ptr<message_sealer>
make_sealer(cipher algorithm, const session_keys& keys, u64 messages_max = sealed_messages_max);

/// Decrypts what `message` holds behind its transform header `head`, which is original_size bytes.
/// False, with `plain` zeroed, where the tag does not fit.
[[nodiscard]] bool open_sealed(aead& with, const transform_header& head, bytes message,
                               std::span<std::byte> plain);

} // namespace smb2::crypto
