#pragma once

#include "bench/lab/link/settings.hpp"

#include <cstddef>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <vector>

namespace bench::lab::link {

/// Everything that was offered is in exactly one of: delivered, a drop, still inside. Duplicates
/// are delivered once more than they were offered.
struct line_counters {
  std::uint64_t frames = 0, bytes = 0; ///< offered
  std::uint64_t delivered_frames = 0, delivered_bytes = 0;
  std::uint64_t dropped_queue = 0;    ///< the port's buffer was full
  std::uint64_t dropped_loss = 0;     ///< by the loss setting
  std::uint64_t dropped_oversize = 0; ///< longer than the MTU allows
  std::uint64_t dropped_limit = 0;    ///< over `in_flight_limit_bytes`
  std::uint64_t reordered = 0, duplicated = 0;
  std::uint64_t queue_peak_bytes = 0;
};

/// One direction of the line: says when each frame arrives at the other end, if it does. Reads no
/// clock and no device. A frame waits until the line is free, is sent at the rate, then travels for
/// the delay. What happens to the n-th frame depends only on the seed, n and the settings.
/// Memory is bounded by `in_flight_limit_bytes` and `in_flight_limit_frames`.
class line {
 public:
  static constexpr std::uint64_t in_flight_limit_bytes = 256 * 1024 * 1024;
  static constexpr std::size_t in_flight_limit_frames = 1u << 20;

  line(const direction_settings& settings, std::uint32_t mtu_bytes, nanos round_trip,
       std::uint64_t seed);

  /// Frames that are already on their way keep their due time.
  void change(const direction_settings& settings, std::uint32_t mtu_bytes, nanos round_trip,
              nanos now);

  void offer(nanos arrival, std::span<const std::byte> frame);

  [[nodiscard]] std::optional<nanos> next_due() const;
  /// The bytes of the frame that is due first; needs `next_due()`, valid until `pop()`.
  [[nodiscard]] std::span<const std::byte> front() const;
  void pop();

  [[nodiscard]] const line_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] const direction_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::uint64_t queue_limit_bytes() const noexcept { return queue_limit_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return due_.size(); }
  [[nodiscard]] std::uint64_t backlog_bytes(nanos now) const;

 private:
  struct entry {
    nanos due;
    std::uint64_t sequence;
    std::uint32_t slot;
    bool operator>(const entry& other) const {
      return due != other.due ? due > other.due : sequence > other.sequence;
    }
  };

  [[nodiscard]] double draw();
  void store(nanos due, std::span<const std::byte> frame);

  direction_settings settings_;
  std::uint64_t mtu_ = 0;
  std::uint64_t queue_limit_ = 0;
  nanos line_free_{};
  nanos last_due_{};
  std::mt19937_64 random_;
  std::uint64_t sequence_ = 0;
  std::uint64_t in_flight_bytes_ = 0;
  std::vector<std::vector<std::byte>> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> due_;
  line_counters counters_;
};

/// How long the line is busy with a frame of that many captured bytes.
[[nodiscard]] nanos serialisation_time(std::uint64_t frame_bytes, std::uint64_t rate_bits_per_s);

} // namespace bench::lab::link
