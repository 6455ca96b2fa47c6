#pragma once

#include "smb2/types.hpp"

#include <array>
#include <span>

namespace smb2 {

using signature = std::array<std::byte, 16>;

/// What an algorithm may need besides the bytes: the AES-GMAC nonce is made of it (2.2.1, 3.1.4.1).
struct signing_input {
  u64 message_id = 0;
  bool from_server = false; ///< the message is a response
  bool cancel = false;      ///< the message is a CANCEL request
};

/// The signing key of one session and its algorithm. The core knows no cryptography: it sets
/// SMB2_FLAGS_SIGNED, zeroes the Signature field, asks for the signature and stores or compares it.
/// Implemented in smb2/crypto (HMAC-SHA256, AES-128-CMAC, AES-128-GMAC).
/// · bytes: `segments` in wire order are one whole message without the direct-TCP prefix, from its
///   header (64 bytes, in the first segment, Signature zero) to its last byte, compound padding in.
/// · belongs to one strand: it may keep a cipher context between calls.
/// · source: MS-SMB2 3.1.4.1
class message_signer {
 public:
  virtual ~message_signer() = default;
  [[nodiscard]] virtual signature sign(std::span<const bytes> segments,
                                       const signing_input& input) = 0;

 protected:
  message_signer() = default;
  message_signer(const message_signer&) = default;
  message_signer& operator=(const message_signer&) = default;
};

} // namespace smb2
