#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace bench::lab::link {

using nanos = std::chrono::nanoseconds;

/// What one direction of the line does to a frame. Rates count bits of the frame as it stands on a
/// real Ethernet: `ethernet_overhead_bytes` more than a capture shows, and never below the minimum.
struct direction_settings {
  std::uint64_t rate_bits_per_s = 0; ///< 0: no limit
  nanos delay{};                     ///< one way
  nanos jitter{};                    ///< adds 0 to this much, evenly; frames keep their order
  nanos reorder_delay{std::chrono::milliseconds{1}}; ///< how much later a reordered frame comes
  double loss = 0;                                   ///< shares of 1 from here on
  double reorder = 0;
  double duplicate = 0;
  std::uint64_t queue_bytes = 0; ///< 0: `queue_limit` chooses

  friend bool operator==(const direction_settings&, const direction_settings&) = default;
};

/// The two ends are a (the client) and b (the server): `up` goes from a to b.
enum class direction : std::uint8_t { up, down };

struct link_settings {
  std::array<direction_settings, 2> directions{};
  std::uint32_t mtu_bytes = 1500;

  [[nodiscard]] direction_settings& of(direction d) { return directions[static_cast<unsigned>(d)]; }
  [[nodiscard]] const direction_settings& of(direction d) const {
    return directions[static_cast<unsigned>(d)];
  }
};

/// Preamble and start delimiter 8, frame check sequence 4, gap between frames 12 (IEEE 802.3).
inline constexpr std::uint64_t ethernet_overhead_bytes = 24;
/// The shortest frame without its check sequence; captures show shorter ones, a line never does.
inline constexpr std::uint64_t ethernet_minimum_bytes = 60;
/// Destination, source, type.
inline constexpr std::uint64_t ethernet_header_bytes = 14;
/// The buffer of one port of a small switch; the queue is never shorter than this by itself.
inline constexpr std::uint64_t default_queue_bytes = 256 * 1024;

inline constexpr std::uint32_t minimum_mtu_bytes = 68; // RFC 791 section 3.2
inline constexpr std::uint32_t maximum_mtu_bytes = 65521;

/// Bytes that may wait for the line: what was asked for, or one round trip's worth of it but at
/// least `default_queue_bytes`. `round_trip` is the delay of both directions.
[[nodiscard]] std::uint64_t queue_limit(const direction_settings& settings, nanos round_trip);

/// Changes one setting. Keys: rtt, rate, mtu, delay, jitter, loss, reorder, reorder-delay,
/// duplicate, queue; all but rtt and mtu may begin with `up-` or `down-` to change one direction.
/// Values: 0.5ms, 100mbit or unlimited, 0.1%, 256k. The error is a sentence for people.
[[nodiscard]] std::expected<void, std::string> apply(link_settings& settings, std::string_view key,
                                                     std::string_view value);

[[nodiscard]] std::expected<nanos, std::string> parse_duration(std::string_view text);
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_rate(std::string_view text);
[[nodiscard]] std::expected<double, std::string> parse_share(std::string_view text);
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

/// The members of one JSON object, without its braces.
[[nodiscard]] std::string to_json(const direction_settings& settings);

} // namespace bench::lab::link
