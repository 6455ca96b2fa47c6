#pragma once

#include "smb2/types.hpp"

#include <span>

namespace smb2 {

/// The running preauthentication integrity hash of a 3.1.1 connection or of one session set-up:
/// H = SHA-512(H || message), from 64 zero bytes. Implemented in smb2/crypto.
/// The core feeds it, for the calls that name one: NEGOTIATE request and response, each
/// SESSION_SETUP request, and each SESSION_SETUP response with STATUS_MORE_PROCESSING_REQUIRED. The
/// last response of a session set-up is not part of it.
/// · bytes: `segments` in wire order are one whole message without the direct-TCP prefix.
/// · source: MS-SMB2 3.2.5.2, 3.2.5.3
class preauth_hash {
 public:
  virtual ~preauth_hash() = default;
  virtual void update(std::span<const bytes> segments) = 0;

 protected:
  preauth_hash() = default;
  preauth_hash(const preauth_hash&) = default;
  preauth_hash& operator=(const preauth_hash&) = default;
};

} // namespace smb2
