#pragma once

#include "wire/exchange.hpp"

#include <algorithm>
#include <compare>

namespace profiler::timing {

/// One row of every table: an operation of a protocol.
struct operation_key {
  wire::protocol proto = wire::protocol::nfs3;
  wire::u16 operation = 0;

  friend auto operator<=>(const operation_key&, const operation_key&) = default;
};

/// Numbers that no specification has are counted together under this one.
inline constexpr wire::u16 other_operation = 127;

/// Of SMB2: a sealed request and its response, of which no more is known.
inline constexpr wire::u16 sealed_operation = 126;

inline constexpr std::size_t operation_slots = wire::protocol_count * (other_operation + 1);

[[nodiscard]] inline operation_key key_of(const wire::exchange& e) noexcept {
  return {e.proto, std::min(e.operation, other_operation)};
}

/// A place in an array of `operation_slots`.
[[nodiscard]] inline std::size_t slot_of(operation_key key) noexcept {
  return static_cast<std::size_t>(key.proto) * (other_operation + 1) + key.operation;
}

[[nodiscard]] inline operation_key key_at(std::size_t slot) noexcept {
  return {static_cast<wire::protocol>(slot / (other_operation + 1)),
          static_cast<wire::u16>(slot % (other_operation + 1))};
}

/// CHANGE_NOTIFY (MS-SMB2 2.2.35): outstanding for hours while its sender does something else.
[[nodiscard]] inline bool is_subscription(const wire::exchange& e) noexcept {
  return e.proto == wire::protocol::smb2 && e.operation == 15;
}

/// NFSv4: only part 0 of a compound carries times, those of the whole; the commands of an SMB2
/// compound have them all.
[[nodiscard]] inline bool times_whole_compound(const wire::exchange& e) noexcept {
  return is_nfs4(e.proto);
}

/// From the server to the client, which waits for none of it.
[[nodiscard]] inline bool is_callback(const wire::exchange& e) noexcept {
  return e.proto == wire::protocol::nfs4_cb;
}

/// Moves file data to the client. RFC 1813 section 3.3.6, RFC 7530 section 16.23, RFC 7862
/// section 15.10 (READ_PLUS), MS-SMB2 2.2.19.
[[nodiscard]] inline bool is_read(operation_key key) noexcept {
  using wire::protocol;
  return (key.proto == protocol::nfs3 && key.operation == 6) ||
         (is_nfs4(key.proto) && (key.operation == 25 || key.operation == 68)) ||
         (key.proto == protocol::smb2 && key.operation == 8);
}

/// Moves file data to the server. RFC 1813 section 3.3.7, RFC 7530 section 16.36, MS-SMB2 2.2.21.
[[nodiscard]] inline bool is_write(operation_key key) noexcept {
  using wire::protocol;
  return (key.proto == protocol::nfs3 && key.operation == 7) ||
         (is_nfs4(key.proto) && key.operation == 38) ||
         (key.proto == protocol::smb2 && key.operation == 9);
}

} // namespace profiler::timing
