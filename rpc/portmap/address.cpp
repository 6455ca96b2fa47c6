#include "rpc/portmap/types.hpp"

#include <fmt/format.h>

#include <charconv>

namespace rpc::portmap {

namespace {

/// Takes ".N" off the end; nothing unless N is a byte.
std::optional<u8> take_number(std::string_view& text) {
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto digits = text.substr(dot + 1);
  u8 value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  text = text.substr(0, dot);
  return value;
}

} // namespace

std::string to_universal(const endpoint& e) {
  return fmt::format("{}.{}.{}", e.host, e.port >> 8, e.port & 0xff);
}

std::expected<endpoint, wire::errc> from_universal(std::string_view text) {
  const auto low = take_number(text);
  const auto high = take_number(text);
  if (!low || !high || text.empty()) return std::unexpected(wire::errc::bad_value);
  endpoint out;
  out.host = text;
  out.port = static_cast<wire::u16>(*high << 8 | *low);
  return out;
}

} // namespace rpc::portmap
