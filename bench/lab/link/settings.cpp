#include "bench/lab/link/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <span>

namespace bench::lab::link {
namespace {

struct unit {
  std::string_view name;
  double factor;
};

constexpr double longest_s = 3600;
constexpr double fastest_bits_per_s = 1e12;
constexpr double largest_queue_bytes = 1024.0 * 1024 * 1024;

/// A number that is not negative, with one of the units directly behind it.
std::expected<double, std::string> parse_with_unit(std::string_view text, std::string_view what,
                                                   std::span<const unit> units, double limit) {
  const auto complain = [&](std::string_view why) {
    std::string names;
    for (const unit& u : units)
      names += (names.empty() ? "" : ", ") + std::string{u.name.empty() ? "no unit" : u.name};
    return std::unexpected(std::string{what} + " '" + std::string{text} + "' " + std::string{why} +
                           " (units: " + names + ")");
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || number < 0) return complain("is not a number with a unit");
  const std::string_view suffix{rest, static_cast<std::size_t>(end - rest)};
  const auto found = std::ranges::find(units, suffix, &unit::name);
  if (found == units.end() && !(number == 0 && suffix.empty()))
    return complain("has no known unit");
  const double value = number == 0 ? 0 : number * found->factor;
  if (!(value <= limit)) return complain("is too much");
  return value;
}

using changer =
    std::function<std::expected<void, std::string>(direction_settings&, std::string_view)>;

template <typename T, typename Parsed>
changer sets(T direction_settings::*member,
             std::expected<Parsed, std::string> (*parse)(std::string_view)) {
  return [=](direction_settings& settings,
             std::string_view value) -> std::expected<void, std::string> {
    const auto parsed = parse(value);
    if (!parsed) return std::unexpected(parsed.error());
    settings.*member = *parsed;
    return {};
  };
}

struct named_changer {
  std::string_view key;
  changer change;
};

const std::array<named_changer, 8>& changers() {
  static const std::array<named_changer, 8> list{{
      {"rate", sets(&direction_settings::rate_bits_per_s, parse_rate)},
      {"delay", sets(&direction_settings::delay, parse_duration)},
      {"jitter", sets(&direction_settings::jitter, parse_duration)},
      {"loss", sets(&direction_settings::loss, parse_share)},
      {"reorder", sets(&direction_settings::reorder, parse_share)},
      {"reorder-delay", sets(&direction_settings::reorder_delay, parse_duration)},
      {"duplicate", sets(&direction_settings::duplicate, parse_share)},
      {"queue", sets(&direction_settings::queue_bytes, parse_size)},
  }};
  return list;
}

std::expected<void, std::string> apply_mtu(link_settings& settings, std::string_view value) {
  std::uint32_t mtu = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, mtu);
  if (error != std::errc{} || rest != end || mtu < minimum_mtu_bytes || mtu > maximum_mtu_bytes)
    return std::unexpected("mtu '" + std::string{value} + "' is not a number from " +
                           std::to_string(minimum_mtu_bytes) + " to " +
                           std::to_string(maximum_mtu_bytes));
  settings.mtu_bytes = mtu;
  return {};
}

} // namespace

std::expected<nanos, std::string> parse_duration(std::string_view text) {
  static constexpr std::array<unit, 4> units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  const auto value = parse_with_unit(text, "time", units, longest_s * 1e9);
  if (!value) return std::unexpected(value.error());
  return nanos{static_cast<std::int64_t>(*value + 0.5)};
}

std::expected<std::uint64_t, std::string> parse_rate(std::string_view text) {
  static constexpr std::array<unit, 4> units{
      {{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};
  if (text == "unlimited") return 0;
  const auto value = parse_with_unit(text, "rate", units, fastest_bits_per_s);
  if (!value) return std::unexpected(value.error());
  return static_cast<std::uint64_t>(*value + 0.5);
}

std::expected<double, std::string> parse_share(std::string_view text) {
  static constexpr std::array<unit, 1> units{{{"%", 0.01}}};
  return parse_with_unit(text, "share", units, 1);
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  static constexpr std::array<unit, 4> units{
      {{"", 1}, {"k", 1024}, {"m", 1024.0 * 1024}, {"g", 1024.0 * 1024 * 1024}}};
  const auto value = parse_with_unit(text, "size", units, largest_queue_bytes);
  if (!value) return std::unexpected(value.error());
  return static_cast<std::uint64_t>(*value + 0.5);
}

std::uint64_t queue_limit(const direction_settings& settings, nanos round_trip) {
  if (settings.queue_bytes != 0) return settings.queue_bytes;
  const double seconds = std::chrono::duration<double>(round_trip).count();
  const double product_bytes = static_cast<double>(settings.rate_bits_per_s) / 8 * seconds;
  return std::max(default_queue_bytes, static_cast<std::uint64_t>(product_bytes));
}

std::expected<void, std::string> apply(link_settings& settings, std::string_view key,
                                       std::string_view value) {
  if (key == "mtu") return apply_mtu(settings, value);
  if (key == "rtt") {
    const auto rtt = parse_duration(value);
    if (!rtt) return std::unexpected(rtt.error());
    settings.of(direction::up).delay = *rtt / 2;
    settings.of(direction::down).delay = *rtt - *rtt / 2;
    return {};
  }
  std::array<bool, 2> which{true, true};
  std::string_view bare = key;
  if (bare.starts_with("up-")) {
    which = {true, false};
    bare.remove_prefix(3);
  } else if (bare.starts_with("down-")) {
    which = {false, true};
    bare.remove_prefix(5);
  }
  const auto found = std::ranges::find(changers(), bare, &named_changer::key);
  if (found == changers().end())
    return std::unexpected("unknown link setting '" + std::string{key} + "'");
  for (unsigned i = 0; i < 2; ++i) {
    if (!which[i]) continue;
    if (auto changed = found->change(settings.directions[i], value); !changed) return changed;
  }
  return {};
}

std::string to_json(const direction_settings& s) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "\"rate_bits_per_s\":%llu,\"delay_us\":%.3f,\"jitter_us\":%.3f,\"loss\":%.6g,"
                "\"reorder\":%.6g,\"reorder_delay_us\":%.3f,\"duplicate\":%.6g",
                static_cast<unsigned long long>(s.rate_bits_per_s),
                static_cast<double>(s.delay.count()) / 1e3,
                static_cast<double>(s.jitter.count()) / 1e3, s.loss, s.reorder,
                static_cast<double>(s.reorder_delay.count()) / 1e3, s.duplicate);
  return text.data();
}

} // namespace bench::lab::link
