#pragma once

#include <gtest/gtest.h>

#include <expected>
#include <random>
#include <vector>

/// What the tests against the lab's servers share.
namespace support {

/// Fails the test with the error's sentence.
template <class T, class Error>
bool good(const std::expected<T, Error>& result) {
  EXPECT_TRUE(result) << result.error().text;
  return result.has_value();
}

/// The same bytes for the same size and seed.
inline std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> out(size);
  for (auto& b : out)
    b = static_cast<std::byte>(random());
  return out;
}

inline std::vector<std::byte> pattern(std::size_t size) {
  return pattern(size, static_cast<unsigned>(size));
}

} // namespace support
