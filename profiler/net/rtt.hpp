#pragma once

#include "profiler/net/transport.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace profiler::net {

/// The least of the values of the last 30 to 60 seconds, or the last ones that there were.
class windowed_min {
 public:
  void add(nanos value, nanos now) noexcept;
  [[nodiscard]] bool empty() const noexcept { return current_ == none; }
  [[nodiscard]] nanos value() const noexcept { return std::min(current_, previous_); }

 private:
  static constexpr nanos none = nanos::max();
  static constexpr nanos window = std::chrono::seconds(30);

  nanos current_ = none;
  nanos previous_ = none;
  nanos since_{0};
};

/// Quantiles of durations, within 4 % between 64 ns and 68 s. Takes 32 bytes for each factor of two
/// between the least and the greatest, 1 KiB at most: wire::histogram is finer and takes eighteen
/// times as much, which thousands of connections have not got.
class duration_quantiles {
 public:
  void add(nanos value);
  [[nodiscard]] nanos value(double quantile = 0.5) const noexcept;
  [[nodiscard]] u64 count() const noexcept { return count_; }

 private:
  static constexpr unsigned sub_bits = 4;
  static constexpr unsigned first_octave = 6;
  static constexpr unsigned octaves = 30;

  u16& bucket(unsigned octave, unsigned sub);
  void halve() noexcept;

  u64 count_ = 0;
  u32 weight_ = 0;           ///< sum of the buckets
  u32 low_octave_ = 0;       ///< of the first of them
  std::vector<u16> buckets_; ///< of whole octaves that follow each other
};

/// Estimates the round trip of one connection from what the capture point sees of it: how long a
/// byte's acknowledgement takes from here to the server and back, and from here to the client and
/// back. A side is trusted once it gave a sample that cannot have waited:
/// · the handshake, unless a SYN was repeated and no timestamp says that the latest was answered;
/// · an acknowledgement without data that covers two full segments or more since the one before it
///   (RFC 9293 section 3.8.6.3 makes it immediate), of bytes of which nothing was sent twice
///   (Karn).
/// Other acknowledgements may have been delayed, or ride on a reply that took the server's time:
/// they bound the round trip from above, and can only lower a trusted estimate.
class rtt_estimator {
 public:
  explicit rtt_estimator(tcp_facts& facts) : facts_(facts) {}

  void handshake(direction towards, const tcp_segment& s, nanos at);

  /// `again`: the segment brought bytes seen before, or filled a hole.
  void sent(direction d, const tcp_segment& s, nanos at, bool again) noexcept;

  /// Whether `ack` goes beyond what was acknowledged of the bytes that travel along `d`.
  [[nodiscard]] bool awaits(direction d, u32 ack) const noexcept {
    const auto& x = sides_[index_of(d)];
    return !x.acked || static_cast<std::int32_t>(ack - x.last_ack) > 0;
  }

  /// `s` travels against `d` and acknowledges bytes that travelled along it, by more than all
  /// before it. `full`: bytes of a full segment.
  /// Gives when the last acknowledged segment was captured, if the acknowledgement was not delayed.
  std::optional<nanos> acknowledged(direction d, const tcp_segment& s, nanos at, u32 full);

  /// Whether `ack`, for bytes that travelled along `d`, is newer than all before it, by what a
  /// window may hold.
  [[nodiscard]] bool acknowledges_more(direction d, u32 ack) const noexcept {
    constexpr u32 step_max = 1 << 20;
    const auto& x = sides_[index_of(d)];
    return x.acked && ack - x.last_ack - 1 < step_max;
  }

  /// Brings the median up to date, which is done only now and then; the minima always are.
  void publish() noexcept;

 private:
  static constexpr std::size_t in_flight_max = 32;

  struct sent_segment {
    nanos at;
    u32 end;
    bool ambiguous;
  };
  struct side {
    std::vector<sent_segment> ring; ///< as long as a power of two, at most in_flight_max
    u32 first = 0;
    u32 count = 0;
    u32 last_ack = 0;
    bool acked = false;
    windowed_min window;
    nanos least = nanos::max();
    duration_quantiles median;
    rtt_source source = rtt_source::none;

    sent_segment& segment(u32 i) noexcept { return ring[(first + i) & (ring.size() - 1)]; }
    void pop() noexcept;
    void push(nanos at, u32 end);
  };
  struct sent_syn {
    nanos at;
    u32 ts_value;
    bool has_timestamps;
  };

  void bound(direction d, nanos value, nanos now);
  void publish_minima() noexcept;
  void sample(direction d, nanos value, nanos now, rtt_source source);
  side& of(direction d) noexcept { return sides_[index_of(d)]; }

  tcp_facts& facts_;
  std::array<side, 2> sides_;
  sent_syn latest_syn_{};
  u32 previous_syn_ts_ = 0;
  u32 syn_count_ = 0;
  u32 syn_ack_count_ = 0;
  nanos syn_ack_at_{0};
  u32 syn_ack_next_ = 0;
  bool handshake_done_ = false;
};

} // namespace profiler::net
