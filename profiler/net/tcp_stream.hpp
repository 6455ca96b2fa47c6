#pragma once

#include "profiler/net/consumer.hpp"
#include "profiler/net/counters.hpp"
#include "profiler/net/limits.hpp"

#include <map>
#include <optional>
#include <vector>

namespace profiler::net {

/// How a segment's bytes stand to what was there before it.
enum class arrival : u8 {
  in_order,
  ahead,         ///< behind a hole: kept
  filled,        ///< brought bytes that were missing before later ones
  partly_old,    ///< old bytes, and new ones in order behind them
  old,           ///< only bytes that were seen before
  keep_alive,    ///< one byte, or none, in front of what comes next
  out_of_window, ///< more than 1 GiB ahead or 16 MiB behind: not used
};

/// One direction of a TCP connection, put into order. What comes in order is passed on without a
/// copy. What comes behind a hole is kept, within limits, until the hole is filled, or the other
/// side has acknowledged past it (then it was sent, and not captured: a gap), or a limit is hit.
/// Of bytes that come more than once the first copy counts, and so does its time.
/// · source: RFC 9293 section 3.4
class tcp_stream {
 public:
  /// `held_bytes` is the sum over all streams; it and `c` must outlive the stream.
  tcp_stream(direction d, const limits& l, std::size_t& held_bytes, counters& c)
      : direction_(d), limits_(l), held_all_(held_bytes), counters_(c) {}
  tcp_stream(const tcp_stream&) = delete;
  tcp_stream& operator=(const tcp_stream&) = delete;
  ~tcp_stream() { held_all_ -= held_; }

  [[nodiscard]] bool started() const noexcept { return started_; }
  /// The sequence number of the first byte; what lies before it is not of interest.
  void start(u32 seq) noexcept {
    started_ = true;
    guessed_ = false;
    next_ = seq;
  }
  /// The same as far as the other side's acknowledgements tell; a segment may correct it as long as
  /// nothing was passed on.
  void guess_start(u32 seq) noexcept {
    start(seq);
    guessed_ = true;
  }
  [[nodiscard]] bool guessed() const noexcept { return guessed_; }

  /// The next byte in order.
  [[nodiscard]] u32 next() const noexcept { return next_; }
  [[nodiscard]] bool has_hole() const noexcept { return !pending_.empty(); }
  /// When the first segment behind the present hole came; only with has_hole().
  [[nodiscard]] nanos hole_since() const noexcept { return hole_since_; }
  [[nodiscard]] u64 gap_bytes() const noexcept { return gap_bytes_; }

  /// Takes a segment with payload.
  arrival segment(u32 seq, bytes data, u32 wire_length, const stamp& at, stream_consumer& to);

  /// The other side says that it has everything before `ack`.
  void acknowledged(u32 ack, stamp at) noexcept;
  /// When it said so of bytes that were not captured; nothing if it did not.
  [[nodiscard]] std::optional<nanos> missing_acknowledged() const noexcept {
    return missing_since_;
  }
  /// Passes on everything before that acknowledgement, holes as gaps: that is the latest time at
  /// which they can have passed.
  void release_acknowledged(stream_consumer& to);

  /// Passes on the first hole as a gap, though nobody acknowledged it; only with has_hole().
  void give_up_hole(stamp at, stream_consumer& to);
  /// Passes on all that is kept, holes as gaps.
  void release_all(stamp at, stream_consumer& to);
  /// The FIN stands there: no acknowledgement reaches behind it.
  void ends_at(u32 seq) noexcept { end_ = seq; }
  [[nodiscard]] bool finished() const noexcept { return end_ && next_ == *end_; }

 private:
  struct piece {
    std::vector<std::byte> data;
    u32 wire_length;
    stamp at;
  };
  /// Orders sequence numbers that are less than 2 GiB apart.
  struct before {
    bool operator()(u32 a, u32 b) const noexcept { return static_cast<std::int32_t>(a - b) < 0; }
  };

  void deliver(bytes data, u32 wire_length, const stamp& at, stream_consumer& to);
  void gap_to(u32 seq, stamp at, stream_consumer& to);
  bool keep(u32 seq, bytes data, u32 wire_length, stamp at);
  void keep_piece(u32 from, u32 to, u32 seq, bytes data, stamp at);
  void release_ready(stream_consumer& to);
  bool jumps(u32 seq, u32 wire_length) noexcept;
  bool doubtful(u32 ack) noexcept;
  [[nodiscard]] bool over_limit() const noexcept;

  direction direction_;
  bool started_ = false;
  bool guessed_ = false;
  u32 next_ = 0;
  std::optional<u32> end_;
  std::optional<nanos> missing_since_;
  u32 missing_until_ = 0;
  stamp missing_until_at_; ///< of the acknowledgement that named it
  std::optional<u32> doubted_ack_;
  std::map<u32, piece, before> pending_;
  std::size_t held_ = 0;
  nanos hole_since_{0};
  u64 gap_bytes_ = 0;
  u32 outside_next_ = 0; ///< where the last segment out of window ended
  u32 outside_count_ = 0;
  const limits& limits_;
  std::size_t& held_all_;
  counters& counters_;
};

} // namespace profiler::net
