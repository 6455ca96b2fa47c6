#include "wire/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace wire {

namespace {

std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

struct number_and_unit {
  double number;
  std::string_view unit;
};

std::expected<number_and_unit, std::string> split(std::string_view text, std::string_view wanted) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || number < 0 || !std::isfinite(number))
    return std::unexpected(fmt::format("'{}' is not {}", text, wanted));
  return number_and_unit{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

} // namespace

std::string text_of(nanos t) {
  const auto sign = t.count() < 0 ? "-" : "";
  const double ns = std::abs(static_cast<double>(t.count()));
  if (ns < 1e3) return fmt::format("{}{:.0f} ns", sign, ns);
  if (ns < 1e6) return fmt::format("{}{} µs", sign, three_digits(ns / 1e3));
  if (ns < 1e9) return fmt::format("{}{} ms", sign, three_digits(ns / 1e6));
  return fmt::format("{}{} s", sign, three_digits(ns / 1e9));
}

std::string text_of_bytes(u64 n) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  u64 scale = 1;
  while (unit + 1 < units.size() && n / scale >= 1024 &&
         (n / scale >= 10240 || n % (scale * 1024) == 0)) {
    scale *= 1024;
    ++unit;
  }
  if (n % scale == 0) return fmt::format("{} {}", n / scale, units[unit]);
  return fmt::format("{:.1f} {}", static_cast<double>(n) / static_cast<double>(scale), units[unit]);
}

std::string text_of_count(u64 n) {
  auto digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::expected<u64, std::string> parse_size(std::string_view text) {
  constexpr std::string_view wanted = "a size such as 512, 10k, 1m or 4g";
  const auto parts = split(text, wanted);
  if (!parts) return std::unexpected(parts.error());
  double scale = 1;
  if (parts->unit == "k" || parts->unit == "K" || parts->unit == "KiB")
    scale = 1024;
  else if (parts->unit == "m" || parts->unit == "M" || parts->unit == "MiB")
    scale = 1024.0 * 1024;
  else if (parts->unit == "g" || parts->unit == "G" || parts->unit == "GiB")
    scale = 1024.0 * 1024 * 1024;
  else if (!parts->unit.empty() && parts->unit != "B")
    return std::unexpected(fmt::format("'{}' is not {}", text, wanted));
  const double value = parts->number * scale;
  if (value > 1e18 || value != std::floor(value))
    return std::unexpected(fmt::format("'{}' is not a whole number of bytes below 1e18", text));
  return static_cast<u64>(value);
}

std::expected<nanos, std::string> parse_time(std::string_view text) {
  constexpr std::string_view wanted = "a time such as 500us, 0.5ms or 2s";
  const auto parts = split(text, wanted);
  if (!parts) return std::unexpected(parts.error());
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, scale] : units) {
    if (parts->unit != unit) continue;
    if (parts->number * scale > 9e18) return std::unexpected(fmt::format("'{}' is too long", text));
    return nanos{static_cast<i64>(std::llround(parts->number * scale))};
  }
  return std::unexpected(fmt::format("'{}' is not {}", text, wanted));
}

} // namespace wire
