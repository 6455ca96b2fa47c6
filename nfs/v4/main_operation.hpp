#pragma once

#include "wire/bytes.hpp"

#include <compare>

namespace nfs::v4 {

/// How much an operation says of what its COMPOUND is for, the least first.
enum class operation_rank : wire::u8 {
  sequence,
  handles, ///< what sets the current and the saved handle
  getfh,
  getattr, ///< VERIFY and NVERIFY too
  access,
  lookup, ///< LOOKUPP too
  work,   ///< all others
};

/// `operation` is a number of RFC 7863.
[[nodiscard]] operation_rank rank_of(wire::u32 operation) noexcept;

/// Whether the compound is named by an operation of rank `candidate` rather than by the one before
/// it that has been the best so far: by the first of the highest rank; of LOOKUPs by the last, to
/// which the others only lead.
[[nodiscard]] constexpr bool names_it_better(operation_rank candidate,
                                             operation_rank best) noexcept {
  return candidate > best || (candidate == best && candidate == operation_rank::lookup);
}

} // namespace nfs::v4
