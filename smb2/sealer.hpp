#pragma once

#include "smb2/transform.hpp"

namespace smb2 {

/// The sealing keys of one session: encrypts what the client sends and opens what the server
/// sends. The core knows no cryptography: it puts messages together and asks for the sealed one.
/// Implemented in smb2/crypto (AES-128 and AES-256, CCM and GCM).
/// · bytes: `plain` in wire order are all messages of one frame without the direct-TCP prefix, none
///   of them signed.
/// · belongs to one strand; the channels of a session share it, because they share its nonces.
/// · source: MS-SMB2 3.1.4.3
class message_sealer {
 public:
  virtual ~message_sealer() = default;

  /// No further message may be sealed with this key: a nonce would come back.
  [[nodiscard]] virtual bool used_up() const noexcept = 0;

  /// Writes transform header and ciphertext to `out`, which is as long as both. Not when used_up().
  virtual void seal(u64 session_id, std::span<const bytes> plain, std::span<std::byte> out) = 0;

  /// `frame` is `head` and what it announces; `plain` has original_size bytes and is a place of
  /// its own or that of the ciphertext. False: the tag does not fit, and `plain` is zero.
  [[nodiscard]] virtual bool open(const transform_header& head, bytes frame,
                                  std::span<std::byte> plain) = 0;

 protected:
  message_sealer() = default;
  message_sealer(const message_sealer&) = default;
  message_sealer& operator=(const message_sealer&) = default;
};

} // namespace smb2
