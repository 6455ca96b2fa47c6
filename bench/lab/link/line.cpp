#include "bench/lab/link/line.hpp"

#include <algorithm>
#include <utility>

namespace bench::lab::link {

nanos serialisation_time(std::uint64_t frame_bytes, std::uint64_t rate_bits_per_s) {
  if (rate_bits_per_s == 0) return nanos{0};
  const auto on_the_wire = std::max(frame_bytes, ethernet_minimum_bytes) + ethernet_overhead_bytes;
  return nanos{static_cast<std::int64_t>(
      static_cast<double>(on_the_wire) * 8e9 / static_cast<double>(rate_bits_per_s) + 0.5)};
}

line::line(const direction_settings& settings, std::uint32_t mtu_bytes, nanos round_trip,
           std::uint64_t seed)
    : settings_{settings}, mtu_{mtu_bytes},
      queue_limit_{queue_limit(settings, round_trip)}, random_{seed} {}

void line::change(const direction_settings& settings, std::uint32_t mtu_bytes, nanos round_trip,
                  nanos now) {
  // What waits is sent at the new rate, so a slow line's backlog does not block a fast one.
  const auto backlog = backlog_bytes(now);
  line_free_ = now;
  if (settings.rate_bits_per_s != 0)
    line_free_ += nanos{static_cast<std::int64_t>(static_cast<double>(backlog) * 8e9 /
                                                  static_cast<double>(settings.rate_bits_per_s))};
  settings_ = settings;
  mtu_ = mtu_bytes;
  queue_limit_ = queue_limit(settings, round_trip);
}

std::uint64_t line::backlog_bytes(nanos now) const {
  if (settings_.rate_bits_per_s == 0 || line_free_ <= now) return 0;
  return static_cast<std::uint64_t>(static_cast<double>((line_free_ - now).count()) *
                                    static_cast<double>(settings_.rate_bits_per_s) / 8e9);
}

double line::draw() {
  return static_cast<double>(random_() >> 11) * 0x1p-53;
}

void line::offer(nanos arrival, std::span<const std::byte> frame) {
  ++counters_.frames;
  counters_.bytes += frame.size();
  // Always the same number of draws: one setting must not shift the fate of later frames.
  const double lost = draw(), late = draw(), twice = draw(), jitter = draw();

  constexpr std::uint64_t vlan_tag_bytes = 4;
  if (frame.size() > mtu_ + ethernet_header_bytes + vlan_tag_bytes) {
    ++counters_.dropped_oversize;
    return;
  }
  const auto backlog = backlog_bytes(arrival);
  if (backlog != 0 && backlog + frame.size() > queue_limit_) { // one frame always fits
    ++counters_.dropped_queue;
    return;
  }
  counters_.queue_peak_bytes = std::max(counters_.queue_peak_bytes, backlog + frame.size());
  line_free_ =
      std::max(arrival, line_free_) + serialisation_time(frame.size(), settings_.rate_bits_per_s);
  // A lost frame has used the line: it is lost on its way.
  if (lost < settings_.loss) {
    ++counters_.dropped_loss;
    return;
  }
  nanos due =
      line_free_ + settings_.delay +
      nanos{static_cast<std::int64_t>(jitter * static_cast<double>(settings_.jitter.count()))};
  due = std::max(due, last_due_);
  if (late < settings_.reorder) {
    ++counters_.reordered;
    due += settings_.reorder_delay; // and later frames may pass: last_due_ stays
  } else {
    last_due_ = due;
  }
  store(due, frame);
  if (twice < settings_.duplicate) {
    ++counters_.duplicated;
    store(due, frame);
  }
}

void line::store(nanos due, std::span<const std::byte> frame) {
  if (frame.size() > in_flight_limit_bytes - in_flight_bytes_ ||
      due_.size() >= in_flight_limit_frames) {
    ++counters_.dropped_limit;
    return;
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const auto slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot].assign(frame.begin(), frame.end());
  in_flight_bytes_ += frame.size();
  due_.push({due, sequence_++, slot});
}

std::optional<nanos> line::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.top().due;
}

std::span<const std::byte> line::front() const {
  return slots_[due_.top().slot];
}

void line::pop() {
  const auto slot = due_.top().slot;
  due_.pop();
  ++counters_.delivered_frames;
  counters_.delivered_bytes += slots_[slot].size();
  in_flight_bytes_ -= slots_[slot].size();
  free_slots_.push_back(slot);
}

} // namespace bench::lab::link
