#pragma once

#include "wire/bytes.hpp"

#include <optional>

namespace profiler::flow {

using wire::bytes;
using wire::u32;
using wire::u64;

/// What bytes of a stream say that can start an RPC record, where it is not known whether one
/// starts there: file data holds records too, those of captures that are being copied for instance.
struct record_start {
  u32 xid = 0;
  bool reply = false;
  bool certain_form = false; ///< a reply that was accepted, with a verifier that can be one
  /// The record ends with the bytes at hand, or another one stands behind it. When it ends beyond
  /// them nothing can be said; when anything else stands behind it there is no record.
  bool ends_well = false;
};

/// `stream` begins with the mark; it may be cut anywhere. The first bytes may lie in several
/// fragments. · source: RFC 5531 sections 9 and 11
[[nodiscard]] std::optional<record_start> read_record_start(bytes stream) noexcept;

/// Clients count their xids up, in either byte order: the next one is not far from the last.
[[nodiscard]] bool near_xid(u64 a, u64 b) noexcept;

} // namespace profiler::flow
