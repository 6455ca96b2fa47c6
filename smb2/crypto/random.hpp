#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace smb2::crypto {

/// Fills `out` from OpenSSL's generator.
void random_bytes(std::span<std::byte> out);

template <std::size_t N>
[[nodiscard]] std::array<std::byte, N> random_bytes() {
  std::array<std::byte, N> out;
  random_bytes(out);
  return out;
}

} // namespace smb2::crypto
