#pragma once

#include "profiler/net/rtt.hpp"

#include <array>

namespace profiler::net {

/// How long the narrowest part of the way takes for a byte, direction by direction. A round trip
/// that was measured with small segments leaves out what a large message needs to get through; on
/// 100 Mbit/s that is 0.8 ms for 10 KiB, and would be taken for the server's time.
/// · data that came through it before the capture point: the time from the first to the last of
///   full segments that follow each other without a pause;
/// · data that passes it behind the capture point: the time between two acknowledgements that were
///   not delayed, of segments that were sent closer together than they were acknowledged.
/// The sender may pause by itself, so that a low quantile counts, not the mean.
class line_rate {
 public:
  explicit line_rate(tcp_facts& facts) : facts_(facts) {}

  /// In-order payload of `length` bytes; `full`: of a full segment or more.
  void arrived(direction d, u32 length, bool full, nanos at);
  /// An acknowledgement that was not delayed, of everything up to `ack`, whose last segment was
  /// captured at `sent`.
  void acknowledged(direction d, u32 ack, nanos sent, nanos at);

 private:
  static constexpr u32 burst_segments_min = 4;
  static constexpr u32 burst_segments_max = 32;
  static constexpr nanos burst_time_max = std::chrono::seconds(10); ///< longer ones have pauses
  static constexpr u64 samples_min = 4;
  static constexpr u64 publish_each = 16;
  static constexpr double quantile = 0.25;

  struct side {
    nanos burst_begin{0};
    nanos burst_last{0};
    u64 burst_bytes = 0; ///< behind the first segment
    u32 burst_segments = 0;
    u32 ack = 0;
    nanos ack_sent{0};
    nanos ack_at{0};
    bool ack_valid = false;
    duration_quantiles arrivals; ///< ns for 1 KiB
    duration_quantiles acks;
  };

  void end_burst(direction d);
  void add(duration_quantiles& samples, nanos span, u64 length, direction d);

  tcp_facts& facts_;
  std::array<side, 2> sides_;
};

} // namespace profiler::net
