#pragma once

#include "wire/bytes.hpp"

#include <algorithm>

namespace profiler::flow {

using wire::bytes;
using wire::u32;
using wire::u64;

/// Counts the TLS records of one direction of a connection; what is in them stays in them. RPC
/// turns to TLS behind its AUTH_TLS probe (RFC 9289 section 4.1), and most captures start later.
/// · source: RFC 8446 section 5.1
class tls_records {
 public:
  static constexpr std::size_t header_bytes = 5;
  /// 2^14 and what encryption may add to it.
  static constexpr u32 record_bytes_max = (1u << 14) + 256;

  /// Whether a record starts there: its type, versions 3.0 to 3.4, a length that can be.
  [[nodiscard]] static bool starts(bytes data) noexcept {
    if (data.size() < header_bytes) return false;
    const auto at = [&](std::size_t i) { return std::to_integer<u32>(data[i]); };
    return at(0) >= 20 && at(0) <= 24 && at(1) == 3 && at(2) <= 4 && length_of(data) > 0 &&
           length_of(data) <= record_bytes_max;
  }

  /// As above, and what stands behind the record fits: for places where it may be chance.
  [[nodiscard]] static bool surely_starts(bytes data, u64 wire_length) noexcept {
    if (!starts(data)) return false;
    const u64 end = header_bytes + length_of(data);
    if (end == wire_length) return true;
    return end < data.size() && starts(data.subspan(static_cast<std::size_t>(end)));
  }

  /// Takes bytes in order and gives how many records began in them.
  u64 take(bytes data, u64 wire_length) noexcept {
    u64 begun = 0;
    u64 at = 0;
    while (true) {
      const auto skip = std::min(left_, wire_length - at);
      left_ -= skip;
      at += skip;
      if (at >= data.size()) break;
      const auto rest = data.subspan(static_cast<std::size_t>(at));
      if (!starts(rest)) break; // cut in its header, or lost: the next one starts a segment
      ++begun;
      left_ = header_bytes + length_of(rest);
    }
    return begun;
  }

  void gap() noexcept { left_ = 0; }

 private:
  [[nodiscard]] static u32 length_of(bytes data) noexcept {
    return wire::load_be<wire::u16>(data.data() + 3);
  }

  u64 left_ = 0; ///< bytes of the present record that are still to come
};

} // namespace profiler::flow
