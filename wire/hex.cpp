#include "wire/hex.hpp"

namespace wire {

namespace {

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

} // namespace

std::string to_hex(bytes data) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(data.size() * 2);
  for (const auto b : data) {
    out.push_back(digits[std::to_integer<std::size_t>(b) >> 4]);
    out.push_back(digits[std::to_integer<std::size_t>(b) & 15]);
  }
  return out;
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  std::vector<std::byte> out;
  int high = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (is_space(text[i])) continue;
    const int value = digit(text[i]);
    if (value < 0) return std::nullopt;
    if (high >= 0) out.push_back(static_cast<std::byte>(high << 4 | value));
    high = high >= 0 ? -1 : value;
  }
  if (high >= 0) return std::nullopt;
  return out;
}

} // namespace wire
