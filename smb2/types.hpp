#pragma once

#include "smb2/dialect.hpp"
#include "wire/bytes.hpp"

#include <array>
#include <string_view>

namespace smb2 {

using wire::bytes;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// A GUID in the byte order of the wire (MS-DTYP 2.3.4.2).
using guid = std::array<std::byte, 16>;

/// SMB2_FILEID, MS-SMB2 2.2.14.1.
struct fileid {
  u64 persistent = 0;
  u64 volatile_part = 0;

  friend bool operator==(const fileid&, const fileid&) = default;

  /// In a related compound: the file of the command before (MS-SMB2 3.2.4.1.4).
  [[nodiscard]] static constexpr fileid of_previous() noexcept { return {~u64{0}, ~u64{0}}; }
};

/// One number for reports; 0 only for no file at all. The same mixing in client and profiler.
[[nodiscard]] constexpr u64 hash_of(const fileid& id) noexcept {
  u64 x = (id.persistent ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 29) ^ id.volatile_part) * 0x94D049BB133111EBu;
  x ^= x >> 32;
  return x == 0 ? 1 : x;
}

/// DialectRevision of a server that answers an SMB1 NEGOTIATE and wants an SMB2 one (2.2.4).
inline constexpr dialect any_smb2{0x02FF};

/// "3.1.1"; "unknown" for a number that is none.
[[nodiscard]] std::string_view to_string(dialect revision) noexcept;

/// 100 ns units since 1601-01-01 UTC (MS-DTYP 2.3.3). 0 and ~0 stand for "not set", "do not touch".
using filetime = u64;

inline constexpr filetime unix_epoch_as_filetime = 116'444'736'000'000'000u;

/// ns since the Unix epoch; times before it and beyond the year 2262 are clamped.
[[nodiscard]] nanos to_unix(filetime t) noexcept;
[[nodiscard]] filetime to_filetime(nanos since_unix_epoch) noexcept;

} // namespace smb2
