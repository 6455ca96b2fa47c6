#pragma once

#include "smb2/types.hpp"
#include "smb2/utf16.hpp"

#include <array>

namespace smb2 {

/// File data in a message: what of it is there, and how long it was on the wire.
/// They differ only in captures that were cut.
struct part {
  bytes data;
  u32 length = 0;

  part() = default;
  explicit part(bytes of) : data(of), length(static_cast<u32>(of.size())) {}
};

inline constexpr std::size_t header_bytes = 64;

namespace detail {
inline constexpr std::size_t slots_max = 4;

inline void set(bytes& to, bytes from, u32) noexcept {
  to = from;
}
inline void set(utf16_view& to, bytes from, u32) noexcept {
  to.data = from;
}
inline void set(part& to, bytes from, u32 length) noexcept {
  to.data = from;
  to.length = length;
}
[[nodiscard]] inline bytes view_of(const bytes& v) noexcept {
  return v;
}
[[nodiscard]] inline bytes view_of(const utf16_view& v) noexcept {
  return v.data;
}
[[nodiscard]] inline bytes view_of(const part& v) noexcept {
  return v.data;
}

template <class T>
inline constexpr bool is_byte_array = false;
template <std::size_t N>
inline constexpr bool is_byte_array<std::array<std::byte, N>> = true;
} // namespace detail

} // namespace smb2
