#pragma once

#include "smb2/connection.hpp"
#include "smb2/contexts/create_data.hpp"

#include <optional>

/// Oplocks and leases: what the server lets a client cache of a file until somebody else comes.
/// They are asked for in open_options; file::grant() says what was given, file::next_break() when
/// the server takes it back.
/// · source: MS-SMB2 2.2.13.2.8, 2.2.13.2.10, 2.2.23, 2.2.24, 3.2.5.19
namespace smb2 {

/// A lease: opens of one client under the same key share it. As RqLs v1 on 2.1, as v2 on 3.x.
struct lease_request {
  guid key{}; ///< the caller's choice, another one for each file
  u32 state = lease_state::read_caching | lease_state::handle_caching | lease_state::write_caching;
  std::optional<guid> parent; ///< the key of its folder's lease; 3.x
};

/// Who answers when the server takes something back.
enum class break_answer : u8 {
  at_once,   ///< the client itself, as soon as it hears of it: for who caches nothing
  by_caller, ///< who waits in file::next_break(), by file::acknowledge()
};

/// What is held of a file.
struct cache_grant {
  u8 oplock_level = oplock::none; ///< oplock::lease: the others say what
  u32 lease_state = lease_state::none;
  guid lease_key{};
  u16 epoch = 0;         ///< of a lease on 3.x: how often the server has changed it
  bool breaking = false; ///< the server waits for the acknowledgment

  [[nodiscard]] bool is_lease() const noexcept { return oplock_level == oplock::lease; }
  /// Nobody else can change the data without our being told first.
  [[nodiscard]] bool exclusive() const noexcept {
    if (is_lease()) return (lease_state & lease_state::write_caching) != 0;
    return oplock_level == oplock::exclusive || oplock_level == oplock::batch;
  }
};

/// The server takes back some of what it granted. Until it is acknowledged, where it must be, the
/// other client waits (smbd: 35 s).
struct cache_break {
  cache_grant before;
  u8 oplock_level = oplock::none; ///< what is left of an oplock
  u32 lease_state = lease_state::none;
  u16 epoch = 0;
  bool must_acknowledge = false;
  bool missed = false; ///< changes of the lease passed us by: what is cached may be old
};

struct break_counters {
  u64 notifications = 0;
  u64 acknowledgments = 0; ///< that the server took
  u64 unacknowledged = 0;  ///< that could not be sent, or that it refused
  u64 unknown = 0;         ///< of an open or a lease key that is not ours, or that say nothing
  u64 stale = 0;           ///< of an epoch that is over: they change nothing
};

} // namespace smb2
