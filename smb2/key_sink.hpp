#pragma once

#include "smb2/types.hpp"

namespace smb2 {

/// The secrets of one session. Whoever has them reads all that is sealed in it.
struct session_secrets {
  u64 session_id = 0;
  bytes session_key; ///< what authentication gave: 16 bytes from NTLM, up to 32 from Kerberos
  bytes to_client;   ///< the key that seals responses, 16 or 32 bytes; empty below 3.0
  bytes to_server;   ///< the key that seals requests; likewise
};

/// Told of each session that is set up, before anything is sent in it. Only for captures that are
/// to be decrypted: nothing else in the client gives keys away.
/// · lifetime: the views last for the call.
class key_sink {
 public:
  virtual ~key_sink() = default;
  virtual void on_session_keys(const session_secrets& secrets) = 0;

 protected:
  key_sink() = default;
  key_sink(const key_sink&) = default;
  key_sink& operator=(const key_sink&) = default;
};

} // namespace smb2
