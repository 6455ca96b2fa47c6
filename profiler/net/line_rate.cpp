#include "profiler/net/line_rate.hpp"

#include <algorithm>

namespace profiler::net {

void line_rate::arrived(direction d, u32 length, bool full, nanos at) {
  auto& x = sides_[index_of(d)];
  // A pause of several times what a segment took so far is the sender's, not the line's.
  constexpr int pause = 4;
  const bool goes_on =
      x.burst_segments > 0 && at >= x.burst_last && at - x.burst_begin < burst_time_max &&
      (x.burst_segments < 2 || (at - x.burst_last) * static_cast<int>(x.burst_segments - 1) <=
                                   pause * (x.burst_last - x.burst_begin));
  if (!full || !goes_on || x.burst_segments == burst_segments_max) end_burst(d);
  if (!full) return;
  if (x.burst_segments == 0)
    x.burst_begin = at;
  else
    x.burst_bytes += length;
  x.burst_last = at;
  ++x.burst_segments;
}

void line_rate::end_burst(direction d) {
  auto& x = sides_[index_of(d)];
  if (x.burst_segments >= burst_segments_min)
    add(x.arrivals, x.burst_last - x.burst_begin, x.burst_bytes, d);
  x.burst_segments = 0;
  x.burst_bytes = 0;
}

void line_rate::acknowledged(direction d, u32 ack, nanos sent, nanos at) {
  auto& x = sides_[index_of(d)];
  const u32 length = ack - x.ack;
  const bool apart = x.ack_valid && at > x.ack_at && at - x.ack_at < burst_time_max &&
                     sent - x.ack_sent < at - x.ack_at;
  if (apart && static_cast<std::int32_t>(length) > 0) add(x.acks, at - x.ack_at, length, d);
  x.ack = ack;
  x.ack_sent = sent;
  x.ack_at = at;
  x.ack_valid = true;
}

void line_rate::add(duration_quantiles& samples, nanos span, u64 length, direction d) {
  samples.add(span * 1024 / static_cast<wire::i64>(length));
  if (samples.count() < samples_min ||
      (samples.count() > publish_each && samples.count() % publish_each != 0))
    return;
  const auto& x = sides_[index_of(d)];
  nanos slowest{0};
  for (const auto* s : {&x.arrivals, &x.acks})
    if (s->count() >= samples_min) slowest = std::max(slowest, s->value(quantile));
  facts_.kib_time[index_of(d)] = slowest;
}

} // namespace profiler::net
