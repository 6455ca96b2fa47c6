#include "profiler/net/tcp_stream.hpp"

#include <algorithm>

namespace profiler::net {

namespace {

/// The largest window that TCP can have (RFC 7323 section 2.3); what lies further off is no part
/// of the stream.
constexpr std::int32_t window_bytes_max = 1 << 30;
/// Nobody sends again what lies further back: the other side has had it for many windows. It is
/// another connection's, whose SYN was not captured.
constexpr std::int32_t stale_bytes = 1 << 24;
/// Segments in a row, each continuing the last one, that prove a stream out of window to be real.
constexpr u32 jump_segments = 4;
/// An acknowledgement this far beyond all that was seen may be an old connection's or a damaged
/// one; it is believed when the next one has moved on from there.
constexpr std::int32_t doubtful_bytes = 1 << 20;
/// What a kept segment costs besides its bytes: a map node and the allocation.
constexpr std::size_t piece_overhead_bytes = 128;

std::int32_t distance(u32 from, u32 to) noexcept {
  return static_cast<std::int32_t>(to - from);
}

bytes behind(bytes data, u32 n) noexcept {
  return data.subspan(std::min<std::size_t>(n, data.size()));
}

} // namespace

arrival tcp_stream::segment(u32 seq, bytes data, u32 wire_length, const stamp& at,
                            stream_consumer& to) {
  if (seq == next_ && pending_.empty()) {
    deliver(data, wire_length, at, to);
    return arrival::in_order;
  }
  const auto ahead = distance(next_, seq);
  if (ahead > window_bytes_max || ahead < -stale_bytes) {
    if (!jumps(seq, wire_length)) return arrival::out_of_window;
    release_all(at, to);
    gap_to(seq, at, to);
    deliver(data, wire_length, at, to);
    return arrival::in_order;
  }
  outside_count_ = 0;
  if (ahead == -1 && wire_length == 1) return arrival::keep_alive;
  if (ahead <= 0) {
    const auto known = static_cast<u32>(-ahead);
    if (known >= wire_length) return arrival::old;
    const bool filling = !pending_.empty();
    // What is kept came first: deliver only what lies before it, and the rest from there.
    const auto fresh = wire_length - known;
    if (filling) {
      const bool brought = keep(seq + known, behind(data, known), fresh, at);
      release_ready(to);
      return brought ? arrival::filled : arrival::old;
    }
    deliver(behind(data, known), fresh, at, to);
    return known == 0 ? arrival::in_order : arrival::partly_old;
  }
  if (pending_.empty()) hole_since_ = at.time;
  const bool filling = !pending_.empty() && before{}(seq, pending_.rbegin()->first);
  if (!keep(seq, data, wire_length, at)) return arrival::old;
  while (over_limit())
    give_up_hole(at, to);
  return filling ? arrival::filled : arrival::ahead;
}

void tcp_stream::acknowledged(u32 ack, stamp at) noexcept {
  if (!started_) return;
  if (end_ && distance(*end_, ack) > 0) ack = *end_;
  const auto missing = distance(next_, ack);
  if (missing <= 0 || missing > window_bytes_max || doubtful(ack)) return;
  // What an earlier one reported missing may have come since.
  const bool open = missing_since_ && before{}(next_, missing_until_);
  if (!open) missing_since_ = at.time;
  if (open && !before{}(missing_until_, ack)) return;
  missing_until_ = ack;
  missing_until_at_ = at;
}

void tcp_stream::release_acknowledged(stream_consumer& to) {
  if (!missing_since_) return;
  missing_since_.reset();
  while (before{}(next_, missing_until_)) {
    const bool kept = !pending_.empty() && before{}(pending_.begin()->first, missing_until_);
    gap_to(kept ? pending_.begin()->first : missing_until_, missing_until_at_, to);
    release_ready(to);
  }
}

void tcp_stream::release_all(stamp at, stream_consumer& to) {
  while (!pending_.empty()) {
    gap_to(pending_.begin()->first, at, to);
    release_ready(to);
  }
}

void tcp_stream::give_up_hole(stamp at, stream_consumer& to) {
  ++counters_.gaps_by_limit;
  gap_to(pending_.begin()->first, at, to);
  release_ready(to);
}

bool tcp_stream::over_limit() const noexcept {
  return !pending_.empty() &&
         (held_ > limits_.stream_bytes || pending_.size() > limits_.stream_segments ||
          held_all_ > limits_.all_streams_bytes);
}

bool tcp_stream::doubtful(u32 ack) noexcept {
  const u32 highest =
      pending_.empty() ? next_ : pending_.rbegin()->first + pending_.rbegin()->second.wire_length;
  if (distance(highest, ack) <= doubtful_bytes) return false;
  const auto step = doubted_ack_ ? distance(*doubted_ack_, ack) : 0;
  doubted_ack_ = ack;
  return step <= 0 || step > doubtful_bytes;
}

/// True when segments out of window follow one another: the capture lost more than a window.
bool tcp_stream::jumps(u32 seq, u32 wire_length) noexcept {
  outside_count_ = seq == outside_next_ ? outside_count_ + 1 : 1;
  outside_next_ = seq + wire_length;
  if (outside_count_ < jump_segments) return false;
  outside_count_ = 0;
  return true;
}

void tcp_stream::deliver(bytes data, u32 wire_length, const stamp& at, stream_consumer& to) {
  next_ += wire_length;
  guessed_ = false;
  to.chunk(direction_, data, wire_length, at);
}

void tcp_stream::gap_to(u32 seq, stamp at, stream_consumer& to) {
  const u32 missing = seq - next_;
  if (missing == 0) return;
  next_ = seq;
  guessed_ = false;
  gap_bytes_ += missing;
  ++counters_.gaps;
  counters_.gap_bytes += missing;
  to.gap(direction_, missing, at);
}

/// Keeps those bytes that are not kept yet; false when there are none.
bool tcp_stream::keep(u32 seq, bytes data, u32 wire_length, stamp at) {
  const u32 end = seq + wire_length;
  u32 from = seq;
  bool brought = false;
  // The piece before may reach into this segment.
  auto p = pending_.upper_bound(seq);
  if (p != pending_.begin()) {
    const auto previous = std::prev(p);
    const u32 previous_end = previous->first + previous->second.wire_length;
    if (before{}(from, previous_end)) from = previous_end;
  }
  while (before{}(from, end)) {
    const bool meets = p != pending_.end() && before{}(p->first, end);
    const u32 stop = meets ? p->first : end;
    if (before{}(from, stop)) {
      keep_piece(from, stop, seq, data, at);
      brought = true;
    }
    if (!meets) break;
    const u32 kept_end = p->first + p->second.wire_length;
    if (before{}(from, kept_end)) from = kept_end;
    ++p;
  }
  return brought;
}

void tcp_stream::keep_piece(u32 from, u32 to, u32 seq, bytes data, stamp at) {
  const auto rest = behind(data, from - seq);
  const auto part = rest.first(std::min<std::size_t>(rest.size(), to - from));
  pending_.emplace(from, piece{{part.begin(), part.end()}, to - from, at});
  held_ += part.size() + piece_overhead_bytes;
  held_all_ += part.size() + piece_overhead_bytes;
}

/// Passes on what is kept and has come into order.
void tcp_stream::release_ready(stream_consumer& to) {
  while (!pending_.empty() && pending_.begin()->first == next_) {
    const auto p = pending_.extract(pending_.begin());
    const auto cost = p.mapped().data.size() + piece_overhead_bytes;
    held_ -= cost;
    held_all_ -= cost;
    deliver(p.mapped().data, p.mapped().wire_length, p.mapped().at, to);
  }
  if (!pending_.empty()) hole_since_ = pending_.begin()->second.at.time;
}

} // namespace profiler::net
