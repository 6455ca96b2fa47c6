#pragma once

#include "smb2/file.hpp"

#include <array>

/// Byte-range locks of open files.
namespace smb2 {

/// LockSequence of LOCKs on a resilient, durable or persistent handle: with it the server knows a
/// LOCK that is sent again after a reconnect. Index 1 to 64 names a bucket, whose number goes up
/// by one with each new LOCK. · source: MS-SMB2 2.2.26, 3.2.4.19
class lock_sequences {
 public:
  static constexpr u32 indexes = 64;

  /// The value for a new LOCK; it is the caller's that keeps it for a repetition.
  [[nodiscard]] u32 next() noexcept {
    const u32 index = turn_++ % indexes;
    const u32 number = numbers_.at(index)++ % 16;
    return (index + 1) << 4 | number;
  }

 private:
  std::array<u8, indexes> numbers_{};
  u32 turn_ = 0;
};

struct lock_options {
  bool exclusive = true;
  bool fail_immediately = true; ///< else the call waits for the lock, up to the timeout
  u32 sequence = 0;             ///< see lock_sequences; 0: none
  nanos timeout{};              ///< 0: the connection's; waiting is given up with CANCEL
};

/// Errors: STATUS_LOCK_NOT_GRANTED, timed_out.
[[nodiscard]] awaitable<std::expected<void, error>> lock_range(file where, u64 offset, u64 length,
                                                               lock_options options = {});
/// Errors: STATUS_RANGE_NOT_LOCKED.
[[nodiscard]] awaitable<std::expected<void, error>> unlock_range(file where, u64 offset, u64 length,
                                                                 u32 sequence = 0);
/// Several ranges at once: all are locked, or none; or all are unlocked. At most locks_max.
[[nodiscard]] awaitable<std::expected<void, error>>
lock_ranges(file where, std::vector<lock_element> ranges, u32 sequence = 0, nanos timeout = {});

} // namespace smb2
