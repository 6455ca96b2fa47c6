#include "profiler/net/rtt.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace profiler::net {

namespace {

/// Clocks of several queues or cards disagree by microseconds: a negative time is none. Nor is one
/// of a capture whose clock was set in the middle.
bool plausible(nanos round_trip) noexcept {
  return round_trip >= nanos{0} && round_trip < std::chrono::hours(1);
}

} // namespace

void windowed_min::add(nanos value, nanos now) noexcept {
  if (empty() || now - since_ >= window) {
    previous_ = current_;
    current_ = none;
    since_ = now;
  }
  current_ = std::min(current_, value);
}

void duration_quantiles::add(nanos value) {
  const auto ns = static_cast<u64>(std::max<wire::i64>(value.count(), 1 << first_octave));
  const auto octave =
      std::min<unsigned>(static_cast<unsigned>(std::bit_width(ns)) - 1, first_octave + octaves - 1);
  const auto sub =
      std::min<u64>((ns >> (octave - sub_bits)) - (1u << sub_bits), (1u << sub_bits) - 1);
  auto* b = &bucket(octave, static_cast<unsigned>(sub));
  if (*b == std::numeric_limits<u16>::max()) halve();
  ++*b;
  ++weight_;
  ++count_;
}

u16& duration_quantiles::bucket(unsigned octave, unsigned sub) {
  constexpr std::size_t size = std::size_t{1} << sub_bits;
  if (buckets_.empty()) low_octave_ = octave;
  if (octave < low_octave_) {
    buckets_.insert(buckets_.begin(), (low_octave_ - octave) * size, 0);
    low_octave_ = octave;
  }
  const auto at = (octave - low_octave_) * size;
  if (buckets_.size() < at + size) {
    buckets_.reserve(at + size); // not twice as much
    buckets_.resize(at + size);
  }
  return buckets_[at + sub];
}

/// Old values fade: what matters is their distribution.
void duration_quantiles::halve() noexcept {
  weight_ = 0;
  for (auto& b : buckets_) {
    b /= 2;
    weight_ += b;
  }
}

nanos duration_quantiles::value(double quantile) const noexcept {
  if (count_ == 0) return nanos{0};
  u64 left = std::max<u64>(1, static_cast<u64>(std::ceil(quantile * static_cast<double>(weight_))));
  for (unsigned i = 0; i < buckets_.size(); ++i) {
    const u64 here = buckets_[i];
    if (left > here) {
      left -= here;
      continue;
    }
    const auto octave = low_octave_ + (i >> sub_bits);
    const auto width = u64{1} << (octave - sub_bits);
    const auto low = (u64{1} << octave) + (i & ((1u << sub_bits) - 1)) * width;
    return nanos{static_cast<wire::i64>(low + width / 2)};
  }
  return nanos{0};
}

void rtt_estimator::side::pop() noexcept {
  first = (first + 1) & static_cast<u32>(ring.size() - 1);
  --count;
}

/// The oldest makes room in the end: quiet connections are many, and have nothing in flight.
void rtt_estimator::side::push(nanos at, u32 end) {
  if (count == in_flight_max) pop();
  if (count == ring.size()) {
    constexpr std::size_t size_min = 4;
    std::rotate(ring.begin(), ring.begin() + first, ring.end());
    first = 0;
    ring.resize(std::max(size_min, 2 * ring.size()));
  }
  ++count;
  auto& s = segment(count - 1);
  s.at = at;
  s.end = end;
  s.ambiguous = false;
}

void rtt_estimator::handshake(direction towards, const tcp_segment& s, nanos at) {
  if (handshake_done_) return;
  const bool syn = s.has(tcp_flag::syn);
  const bool ack = s.has(tcp_flag::ack);
  if (syn && !ack) {
    previous_syn_ts_ = latest_syn_.ts_value;
    latest_syn_ = {at, s.ts_value, s.has_timestamps};
    ++syn_count_;
    return;
  }
  if (syn && ack && towards == direction::to_client) {
    syn_ack_at_ = at;
    syn_ack_next_ = s.seq + 1;
    if (++syn_ack_count_ > 1 || syn_count_ == 0) return;
    if (syn_count_ == 1)
      sample(direction::to_server, at - latest_syn_.at, at, rtt_source::handshake);
    // Of repeated SYNs an earlier one may have waited for a server that slept; the latest one, when
    // the echo names it, has not.
    else if (latest_syn_.has_timestamps && s.has_timestamps && s.ts_echo == latest_syn_.ts_value &&
             latest_syn_.ts_value != previous_syn_ts_)
      sample(direction::to_server, at - latest_syn_.at, at, rtt_source::timestamp_echo);
    return;
  }
  if (!syn && ack && towards == direction::to_server && syn_ack_count_ > 0) {
    handshake_done_ = true;
    // With data on it, the client's own time may be in between.
    if (syn_ack_count_ == 1 && s.payload_wire_length == 0 && s.ack == syn_ack_next_)
      sample(direction::to_client, at - syn_ack_at_, at, rtt_source::handshake);
  }
}

void rtt_estimator::sent(direction d, const tcp_segment& s, nanos at, bool again) noexcept {
  auto& x = of(d);
  const u32 end = s.seq + s.payload_wire_length;
  if (again) {
    for (u32 i = 0; i < x.count; ++i) {
      auto& f = x.segment(i);
      if (static_cast<std::int32_t>(f.end - s.seq) > 0) f.ambiguous = true;
    }
    return;
  }
  x.push(at, end);
}

std::optional<nanos> rtt_estimator::acknowledged(direction d, const tcp_segment& s, nanos at,
                                                 u32 full) {
  auto& x = of(d);
  const u32 covered = s.ack - x.last_ack;
  const bool immediate = x.acked && covered / 2 >= full && s.payload_wire_length == 0 &&
                         !s.has(tcp_flag::syn | tcp_flag::fin | tcp_flag::rst);
  x.last_ack = s.ack;
  x.acked = true;
  bool ambiguous = false;
  const sent_segment* newest = nullptr;
  while (x.count > 0) {
    const auto& f = x.segment(0);
    if (static_cast<std::int32_t>(s.ack - f.end) < 0) break;
    ambiguous = ambiguous || f.ambiguous;
    newest = &f;
    x.pop();
  }
  if (newest == nullptr || newest->end != s.ack || ambiguous) return std::nullopt;
  if (!immediate) {
    bound(d, at - newest->at, at);
    return std::nullopt;
  }
  sample(d, at - newest->at, at, rtt_source::data_ack);
  return newest->at;
}

/// Whatever an acknowledgement waited for, the round trip was not longer.
void rtt_estimator::bound(direction d, nanos value, nanos now) {
  if (!plausible(value)) return;
  auto& x = of(d);
  x.window.add(value, now);
  x.least = std::min(x.least, value);
  if (x.source != rtt_source::none) publish_minima();
}

void rtt_estimator::sample(direction d, nanos value, nanos now, rtt_source source) {
  if (!plausible(value)) return;
  auto& x = of(d);
  if (x.source == rtt_source::none) x.source = source;
  x.window.add(value, now);
  x.least = std::min(x.least, value);
  x.median.add(value);
  publish_minima();
  constexpr u64 seldom = 64;
  if (x.median.count() < seldom || x.median.count() % seldom == 0) publish();
}

void rtt_estimator::publish_minima() noexcept {
  const auto& server = of(direction::to_server);
  const auto& client = of(direction::to_client);
  const auto trusted = [](const side& x) { return x.source != rtt_source::none; };
  facts_.server_side_rtt = trusted(server) ? server.window.value() : nanos{0};
  facts_.client_side_rtt = trusted(client) ? client.window.value() : nanos{0};
  facts_.rtt_min =
      (trusted(server) ? server.least : nanos{0}) + (trusted(client) ? client.least : nanos{0});
  facts_.rtt_from = trusted(server) ? server.source : client.source;
}

void rtt_estimator::publish() noexcept {
  facts_.rtt_p50 =
      of(direction::to_server).median.value() + of(direction::to_client).median.value();
}

} // namespace profiler::net
