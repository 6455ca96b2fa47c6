#pragma once

#include "profiler/flow/connection.hpp"
#include "profiler/flow/smb2_keys.hpp"
#include "smb2/crypto/aead.hpp"
#include "smb2/crypto/counter_mode.hpp"
#include "smb2/crypto/preauth.hpp"
#include "smb2/transform.hpp"

#include <optional>

namespace profiler::flow {

/// What became of a sealed message.
struct unsealed {
  enum class outcome : u8 {
    no_key,     ///< of its session, or of its direction
    not_opened, ///< no key gives an SMB2 message, or the tag is wrong
    cut,        ///< too little was captured to tell
    opened,     ///< and the tag is right
    unverified, ///< not captured or kept whole, so that nothing proves the tag
  };
  outcome what = outcome::no_key;
  bytes plain; ///< the start of the message. · lifetime: until the next open()
};

/// The sessions that --keys has keys of, on whatever connections (multichannel).
/// · source: MS-SMB2 3.1.4.2, 3.1.4.3
class smb2_sealing {
 public:
  explicit smb2_sealing(smb2_keys keys) : keys_(std::move(keys)) {}

  /// Whether there is anything to derive keys from.
  [[nodiscard]] bool wants(u64 session_id) const;
  [[nodiscard]] bool idle() const noexcept { return keys_.empty(); }

  /// What the end of a SESSION_SETUP says. `hash` is that before its last response; nullptr when
  /// a message before was not captured whole. cipher::none: try all that the dialect has.
  void establish(u64 session_id, smb2::dialect negotiated, smb2::cipher sealing,
                 const smb2::crypto::preauth_value* hash);

  /// `message` starts with `head`, maybe is cut; original_size is known to fit what the frame has.
  [[nodiscard]] unsealed open(direction d, const smb2::transform_header& head, bytes message);

  /// The cipher of the key that fitted last; none before.
  [[nodiscard]] smb2::cipher cipher_of(u64 session_id) const;
  [[nodiscard]] bool hash_missing(u64 session_id) const;

 private:
  /// One guess of algorithm and keys.
  struct opener {
    smb2::cipher algorithm = smb2::cipher::none;
    bool fitted = false;
    std::array<std::optional<smb2::crypto::aead>, 2> whole; ///< by direction
    std::array<std::optional<smb2::crypto::counter_mode>, 2> start;
  };
  struct session {
    std::vector<opener> openers; ///< that which fitted last is the first
    bool complete = false;       ///< the right key must be among them
    bool hash_missing = false;   ///< 3.1.1, and what its keys depend on was not captured
  };

  static constexpr std::size_t openers_max = 32;

  session& session_of(u64 session_id);
  bool add(session& s, smb2::cipher algorithm, bytes to_server, bytes to_client);
  void add_derived(session& s, u64 session_id, smb2::dialect negotiated, smb2::cipher sealing,
                   const smb2::crypto::preauth_value& hash);
  unsealed open_with(opener& with, direction d, const smb2::transform_header& head, bytes message);

  smb2_keys keys_;
  std::map<u64, session> sessions_; ///< as many as keys_ has
  std::vector<std::byte> plain_;
};

} // namespace profiler::flow
