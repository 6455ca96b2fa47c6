#pragma once

#include "wire/bytes.hpp"

#include <algorithm>
#include <string>

namespace profiler::capture {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// The fields and options of a pcapng block, without a file around it.
/// · source: draft-ietf-opsawg-pcapng sections 3 and 4
namespace block_type {
inline constexpr u32 section = 0x0a0d0d0a;
inline constexpr u32 interface = 1;
inline constexpr u32 old_packet = 2;
inline constexpr u32 simple_packet = 3;
inline constexpr u32 names = 4;
inline constexpr u32 statistics = 5;
inline constexpr u32 enhanced_packet = 6;
inline constexpr u32 secrets = 10;
} // namespace block_type

inline constexpr u32 byte_order_magic = 0x1a2b3c4d;
inline constexpr std::size_t block_header_bytes = 8; ///< type and length; the length again behind
inline constexpr u32 block_bytes_min = 12;

/// "systemd journal export"; empty for a type that nobody has described.
[[nodiscard]] std::string_view block_name(u32 type) noexcept;

/// 8 digits.
[[nodiscard]] std::string hex_of(u32 value);

/// What a file has in the place of a text, as UTF-8 of at most `bytes_max` bytes: what is none, and
/// control characters, become U+FFFD; zeros at the end go.
[[nodiscard]] std::string clean_text(bytes text, std::size_t bytes_max);

/// The body of a block: what stands between its two lengths.
struct block_body {
  bytes data;
  bool big_endian = false;

  [[nodiscard]] u16 half(std::size_t at) const noexcept {
    return big_endian ? wire::load_be<u16>(data.data() + at) : wire::load_le<u16>(data.data() + at);
  }
  [[nodiscard]] u32 word(std::size_t at) const noexcept {
    return big_endian ? wire::load_be<u32>(data.data() + at) : wire::load_le<u32>(data.data() + at);
  }
  [[nodiscard]] u64 quad(std::size_t at) const noexcept {
    return big_endian ? wire::load_be<u64>(data.data() + at) : wire::load_le<u64>(data.data() + at);
  }

  /// Calls f(code, value) for each option from `at` on: a code, a length, that many bytes, padded
  /// to 4. Records of a name resolution block look alike. Returns where the end mark ends.
  template <class F>
  std::size_t each_option(std::size_t at, F&& f) const {
    while (at <= data.size() && data.size() - at >= 4) {
      const auto code = half(at);
      const std::size_t length = half(at + 2);
      at += 4;
      if (code == 0 || length > data.size() - at) break;
      f(code, block_body{data.subspan(at, length), big_endian});
      at += std::min(wire::align_up(length, 4), data.size() - at);
    }
    return at;
  }
};

/// How an interface counts time: ticks since 1970 plus an offset.
struct time_scale {
  u8 resolution = 6; ///< if_tsresol: a power of 10, with the top bit set a power of 2
  u64 offset_s = 0;  ///< two's complement; wraps instead of overflowing on absurd values

  /// Absurd times are brought to the ends of [1970, 2116], so that differences of any two are
  /// sound.
  [[nodiscard]] wire::nanos at(u64 ticks) const noexcept {
    constexpr wire::i64 latest = wire::i64{1} << 62;
    const auto time = static_cast<wire::i64>(ns(ticks) + offset_s * 1'000'000'000);
    return wire::nanos{std::clamp<wire::i64>(time, 0, latest)};
  }

  [[nodiscard]] wire::nanos tick() const noexcept {
    const auto power = std::min<unsigned>(resolution & 0x7f, 30);
    const u64 per_second = (resolution & 0x80) != 0 ? u64{1} << power
                           : power <= 9             ? ten_to(power)
                                                    : 1'000'000'000;
    return wire::nanos{static_cast<wire::i64>(std::max<u64>(1, 1'000'000'000 / per_second))};
  }

 private:
  [[nodiscard]] u64 ns(u64 ticks) const noexcept {
    const unsigned power = resolution & 0x7f;
    if ((resolution & 0x80) == 0) {
      if (power <= 9) return ticks * ten_to(9 - power);
      return power > 28 ? 0 : ticks / ten_to(power - 9);
    }
    if (power > 63) return 0;
    const auto seconds = ticks >> power;
    auto fraction = ticks & ((u64{1} << power) - 1);
    auto bits = power;
    // 34 bits are 58 ps, and the product below still fits.
    if (bits > 34) fraction >>= bits - 34, bits = 34;
    return seconds * 1'000'000'000 + ((fraction * 1'000'000'000) >> bits);
  }

  [[nodiscard]] static constexpr u64 ten_to(unsigned n) noexcept {
    u64 value = 1;
    while (n-- > 0)
      value *= 10;
    return value;
  }
};

} // namespace profiler::capture
