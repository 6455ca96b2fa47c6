#pragma once

#include "profiler/flow/context.hpp"
#include "profiler/flow/limits.hpp"
#include "profiler/flow/seen_message.hpp"
#include "profiler/flow/tls_records.hpp"

#include <array>

namespace profiler::flow {

/// Cuts both directions of a connection into messages for a Matcher, and finds the next message
/// again behind a gap. A Matcher has
///   static constexpr std::size_t keep_bytes;   using framing_policy = …;
///   static constexpr bool may_turn_to_tls;
///   bool starts_message(direction, bytes, bool at_segment_start)
///                                                 whether these bytes, prefix and all, start one
///   std::size_t worth_keeping(direction, bytes start)
///                                                 bytes to keep of a message in several segments,
///                                                 at most keep_bytes
///   void message(direction, const seen_message&)
///   void step_lost(direction)                     optional: the start of a hole
///   void lost(direction, const hole&)             in step again behind a hole
///   void cut_reply()                              the capture starts inside a reply
///   void unseen(direction, nanos)                 messages passed up to then, and not one of that
///                                                 direction was captured
///   void end(nanos at)
template <class Matcher>
class message_stream final : public net::stream_consumer {
 public:
  message_stream(context& shared, const flow_key& key, const net::tcp_facts& facts, bool mid_stream,
                 stamp at)
      : shared_(shared), connection_(shared, key, &facts, mid_stream),
        matcher_(shared, connection_) {
    if (!mid_stream) return;
    for (auto& side : sides_) {
      side.framer.join();
      side.hole = {at.time, at.time};
      side.in_hole = side.joined = true;
    }
  }

  void chunk(direction d, bytes data, u32 wire_length, stamp at) override {
    auto& side = side_of(d);
    if (Matcher::may_turn_to_tls && (tls_ || turns_to_tls(side, data, wire_length)))
      return take_tls(side, data, wire_length, at);
    note_pause(side, at.time);
    side.framer.feed(data, wire_length, at);
    segment_ = data.data();
    pump(d, at, false);
  }

  void gap(direction d, u64 n, stamp at) override {
    auto& side = side_of(d);
    if (tls_) return side.tls.gap();
    if (side.framer.in_frame()) side.gap = true;
    side.framer.gap(n, at);
    pump(d, at, true);
    if (n >= smallest_message && connection_.unseen(d)) matcher_.unseen(d, at.time);
  }

  void end(stamp at) override {
    for (auto& side : sides_) {
      connection_.seen().lost_steps += side.framer.lost_steps();
      connection_.seen().dropped_bytes += side.framer.dropped_bytes();
    }
    matcher_.end(at.time);
  }

 private:
  static constexpr u64 smallest_message = 8; ///< a FIN that was acknowledged counts as a byte

  using framer_type = wire::framer<typename Matcher::framing_policy>;

  struct one_side {
    framer_type framer{Matcher::keep_bytes};
    tls_records tls;
    nanos last{0}; ///< latest byte
    nanos stall{0};
    bool gap = false;
    bool in_hole = false;
    bool joined = false; ///< in the middle, and not in step since
    flow::hole hole;
  };

  one_side& side_of(direction d) noexcept { return sides_[index_of(d)]; }

  /// Between two messages a TLS record cannot be taken for one; searching, it may be file data.
  [[nodiscard]] static bool turns_to_tls(const one_side& side, bytes data, u32 wire_length) {
    if (side.framer.in_frame()) return false;
    return side.framer.in_step() ? tls_records::starts(data)
                                 : tls_records::surely_starts(data, wire_length);
  }

  void take_tls(one_side& side, bytes data, u32 wire_length, stamp at) {
    tls_ = true;
    connection_.touch(at.time).tls = true;
    connection_.seen().tls_records += side.tls.take(data, wire_length);
    connection_.seen().tls_bytes += wire_length;
  }

  void note_pause(one_side& side, nanos at) {
    if (side.framer.in_frame()) {
      const auto pause = at - side.last;
      if (pause > stall_min + connection_.round_trip()) side.stall += pause;
    }
    side.last = std::max(side.last, at);
  }

  void pump(direction d, stamp at, bool in_gap) {
    auto& side = side_of(d);
    const auto resync = [&](bytes candidate) {
      return matcher_.starts_message(d, candidate, candidate.data() == segment_);
    };
    const auto keep = [&](bytes start) { return matcher_.worth_keeping(d, start); };
    while (true) {
      const auto lost = side.framer.lost_steps();
      const auto dropped = side.framer.dropped_bytes();
      const auto frame = side.framer.next(resync, keep);
      if (side.framer.lost_steps() != lost && !side.in_hole) {
        side.in_hole = true;
        side.hole.begin = at.time;
        if constexpr (requires { matcher_.step_lost(d); }) matcher_.step_lost(d);
      }
      if (side.in_hole) follow_hole(d, side, side.framer.dropped_bytes() != dropped, at.time);
      if (!frame) return;
      deliver(d, side, *frame, at, in_gap);
    }
  }

  void follow_hole(direction d, one_side& side, bool dropped, nanos at) {
    if (dropped) side.hole.end = at;
    if (!side.framer.in_step()) return;
    side.in_hole = false;
    // What came first was the end of a reply whose call is not in the capture.
    if (std::exchange(side.joined, false) && d == direction::to_client &&
        side.framer.dropped_bytes() > 0)
      matcher_.cut_reply();
    matcher_.lost(d, side.hole);
  }

  void deliver(direction d, one_side& side, const wire::frame& frame, stamp at, bool in_gap) {
    seen_message m{.frame = frame, .stall = nanos{0}, .gap = false, .end_missing = in_gap};
    // What began in an earlier segment is the frame that the pauses belong to.
    if (frame.first.packet != at.packet) m.stall = std::exchange(side.stall, nanos{0});
    m.gap = std::exchange(side.gap, false);
    if (m.gap) ++connection_.seen().payload_gaps;
    matcher_.message(d, m);
  }

  context& shared_;
  listed_connection connection_;
  Matcher matcher_;
  std::array<one_side, 2> sides_;
  bool tls_ = false;
  const std::byte* segment_ = nullptr; ///< start of the present one: to be compared, not followed
};

} // namespace profiler::flow
