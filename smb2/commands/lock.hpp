#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// One byte range. · source: MS-SMB2 2.2.26.1
struct lock_element {
  static constexpr u32 shared = 0x0000'0001;
  static constexpr u32 exclusive = 0x0000'0002;
  static constexpr u32 unlock = 0x0000'0004;
  static constexpr u32 fail_immediately = 0x0000'0010; ///< else the call waits for the lock

  u64 offset = 0;
  u64 length = 0;
  u32 flags = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("offset", m.offset, "length", m.length, "flags", m.flags) && ar.pad(4);
  }
};

/// Locks or unlocks byte ranges. · source: MS-SMB2 2.2.26, 2.2.27
struct lock {
  static constexpr u16 number = 0x0A;
  static constexpr std::string_view name = "LOCK";

  struct request {
    static constexpr std::string_view title = "LOCK request";

    u32 lock_sequence = 0;
    fileid file;
    std::vector<lock_element> locks;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(48) && ar.count16(m.locks, 0) &&
             ar("lock_sequence", m.lock_sequence, "file", m.file) &&
             ar.list("locks", m.locks, 0, locks_max);
    }
  };

  struct response {
    static constexpr std::string_view title = "LOCK response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };

  /// Waits until the ranges are free.
  static bool long_wait(const request& m) {
    return std::ranges::any_of(m.locks, [](const lock_element& l) {
      return (l.flags & (lock_element::unlock | lock_element::fail_immediately)) == 0;
    });
  }
  static const fileid& file_id(const request& m) { return m.file; }
};

} // namespace smb2
