#pragma once

#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace wire {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// A view of wire data. Whoever hands one out says how long it lives.
using bytes = std::span<const std::byte>;

/// Every time of the project: nanoseconds since an epoch that the producer names (the Unix epoch in
/// captures, the steady clock's in our clients). Only differences of one producer's are comparable.
using nanos = std::chrono::nanoseconds;

/// When a byte was seen, and in which frame of the capture (1-based as in Wireshark; 0: no
/// capture).
struct stamp {
  nanos time{};
  u32 packet = 0;
};

/// Loads and stores are memcpy-based: wire data has no alignment.
template <std::unsigned_integral T>
[[nodiscard]] inline T load_be(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::little)
    value = std::byteswap(value);
  return value;
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_le(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::big)
    value = std::byteswap(value);
  return value;
}

template <std::unsigned_integral T>
inline void store_be(std::byte* to, T value) noexcept {
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::little)
    value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
inline void store_le(std::byte* to, T value) noexcept {
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::big)
    value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

[[nodiscard]] inline bytes as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// The bytes as characters; lives as long as the bytes do.
[[nodiscard]] inline std::string_view as_text(bytes data) noexcept {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// Rounds up to a multiple of `align`, a power of two.
[[nodiscard]] constexpr std::size_t align_up(std::size_t n, std::size_t align) noexcept {
  return (n + align - 1) & ~(align - 1);
}

} // namespace wire
