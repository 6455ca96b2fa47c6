#pragma once

#include "profiler/flow/message_stream.hpp"
#include "profiler/flow/smb2_sealing.hpp"
#include "smb2/compound.hpp"

namespace profiler::flow {

/// Follows NEGOTIATE and SESSION_SETUP of one connection as far as the keys of 3.x depend on them:
/// dialect, cipher, and the hash over all their messages but the last response.
/// · memory: bounded; of more than handshakes_max sessions that set up at once the rest are not
///   followed. · source: MS-SMB2 3.2.5.2, 3.2.5.3
class smb2_handshakes {
 public:
  explicit smb2_handshakes(smb2_sealing& sealing) : sealing_(sealing) {}

  void request(const smb2::submessage& sub, const seen_message& m);
  void response(const smb2::submessage& sub, const seen_message& m);

 private:
  /// The hash so far; `whole` as long as every message of it was captured whole.
  struct handshake {
    smb2::crypto::preauth_sha512 hash;
    bool whole = false;

    void add(const smb2::submessage& sub, const seen_message& m);
  };

  static constexpr std::size_t handshakes_max = 64;

  void negotiated(const smb2::submessage& sub, const seen_message& m);
  void set_up(const smb2::submessage& sub, const seen_message& m);

  smb2_sealing& sealing_;
  smb2::dialect dialect_{};
  smb2::cipher cipher_ = smb2::cipher::none;
  std::optional<handshake> connection_;      ///< after NEGOTIATE
  std::map<u64, handshake> asked_;           ///< by MessageId of a SESSION_SETUP
  std::map<u64, handshake> to_be_continued_; ///< by SessionId, between two of them
};

} // namespace profiler::flow
