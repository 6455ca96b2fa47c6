#include "profiler/net/tcp_connection.hpp"

#include <algorithm>
#include <cassert>

namespace profiler::net {

namespace {

/// An acknowledgement that was captured before what it acknowledges: cards with several queues
/// and hosts with several cores hand packets over out of order, by far less than this.
constexpr nanos capture_disorder = std::chrono::milliseconds(1);
/// Reordering on the way is over after this (as in Wireshark's tcp.analysis.out_of_order).
constexpr nanos reordering_age = std::chrono::milliseconds(3);
/// Payload of the largest Ethernet frame that is common, with MTU 9000; what is larger was put
/// together by the host.
constexpr u32 jumbo_payload = 8960;
constexpr u32 ethernet_payload = 1460;
constexpr u32 timestamps_bytes = 12;

} // namespace

tcp_connection::tcp_connection(const limits& l, std::size_t& held_bytes, counters& c)
    : limits_(l), counters_(c), rtt_(facts_),
      rate_(facts_), sides_{side{.stream = {direction::to_server, l, held_bytes, c}},
                            side{.stream = {direction::to_client, l, held_bytes, c}}} {}

void tcp_connection::segment(direction d, const tcp_segment& s, const segment_envelope& e,
                             const stamp& at) {
  assert(!ended());
  auto& x = of(d);
  if (!x.any_seen) take_first(d, e);
  if (e.wrapped != nullptr || !facts_.wrapped.empty()) take_wrapping(e.wrapped);
  if (s.has(tcp_flag::syn)) take_syn(d, s, e);
  if (s.has(tcp_flag::rst)) return take_reset(d, s, at);
  if (s.has(tcp_flag::ack)) take_ack(d, s, at);
  rtt_.handshake(d, s, at.time);
  if (s.payload_wire_length > 0) {
    size_up(d, s, e);
    take_payload(d, s, at);
  } else if (x.stream.started() && s.seq == x.stream.next() - 1 &&
             !s.has(tcp_flag::syn | tcp_flag::fin)) {
    ++facts_.keep_alives;
  }
  take_window(d, s, at.time);
  if (s.has(tcp_flag::fin) && x.stream.started()) x.stream.ends_at(s.seq + s.payload_wire_length);
  if (sides_[0].stream.finished() && sides_[1].stream.finished()) end(at);
}

/// The first segment of this direction.
void tcp_connection::take_first(direction d, const segment_envelope& e) noexcept {
  auto& x = of(d);
  const bool from_client = d == direction::to_server;
  const bool other_seen = of(opposite(d)).any_seen;
  x.any_seen = true;
  (from_client ? facts_.ttl_client : facts_.ttl_server) = e.ttl;
  facts_.unseen = other_seen    ? unseen_side::none
                  : from_client ? unseen_side::server
                                : unseen_side::client;
  if (!other_seen && e.wrapped != nullptr) facts_.wrapped = *e.wrapped;
}

void tcp_connection::take_wrapping(const link::wrapping* w) noexcept {
  if (w == nullptr || !(*w == facts_.wrapped)) facts_.wrapped_differently = true;
}

void tcp_connection::end(stamp at) {
  if (ended()) return;
  release(at);
  if (facts_.unseen != unseen_side::none && facts_.segments > 0)
    ++counters_.connections_one_direction;
  if (sides_[0].window_zero || sides_[1].window_zero) {
    add_zero_window(at.time - zero_since_);
    sides_[0].window_zero = sides_[1].window_zero = false;
  }
  rtt_.publish();
  consumer_->end(at);
  consumer_.reset();
}

void tcp_connection::release(stamp at) {
  if (ended()) return;
  for (auto& x : sides_) {
    x.stream.release_acknowledged(*consumer_);
    x.stream.release_all(at, *consumer_);
  }
  refresh_gap_bytes();
}

void tcp_connection::take_syn(direction d, const tcp_segment& s, const segment_envelope& e) {
  auto& x = of(d);
  const bool first = !x.syn_seen;
  x.syn_seen = true;
  if (!x.stream.started() || x.stream.guessed()) x.stream.start(s.seq + 1);
  if (!first) return;
  const bool from_client = d == direction::to_server;
  const bool peer = of(opposite(d)).syn_seen;
  (from_client ? facts_.mss_client : facts_.mss_server) = s.mss;
  facts_.window_scale[from_client ? 0 : 1] = s.window_scale;
  facts_.timestamps = s.has_timestamps && (!peer || facts_.timestamps);
  facts_.sack_permitted = s.sack_permitted && (!peer || facts_.sack_permitted);
  facts_.handshake_seen = peer;
  constexpr u32 tcp_header_bytes = 20;
  if (facts_.mss_client != 0 && facts_.mss_server != 0)
    facts_.mtu =
        std::min(facts_.mss_client, facts_.mss_server) + tcp_header_bytes + e.ip_header_bytes;
}

/// A reset from outside the window resets nothing (RFC 9293 section 3.10.7.4). What was not
/// captured lies between the bytes that were seen and a true one.
void tcp_connection::take_reset(direction d, const tcp_segment& s, stamp at) {
  constexpr std::int32_t behind_max = 1 << 20;
  constexpr std::int32_t ahead_max = 1 << 24;
  const auto& stream = of(d).stream;
  const auto off = static_cast<std::int32_t>(s.seq - stream.next());
  if (stream.started() && (off < -behind_max || off > ahead_max))
    ++counters_.segments_out_of_window;
  else
    end(at);
}

void tcp_connection::take_ack(direction d, const tcp_segment& s, const stamp& at) {
  auto& other = of(opposite(d));
  // With a SYN seen the connection is joined at its start: what the peer's first acknowledgement
  // names is the first byte of a side whose own SYN was not captured. Joined in the middle, it is
  // where the other side stands, unless a segment of its own says otherwise.
  if (!other.stream.started()) {
    if (of(d).syn_seen || other.syn_seen)
      other.stream.start(s.ack);
    else
      other.stream.guess_start(s.ack);
  }
  if (rtt_.awaits(opposite(d), s.ack))
    if (const auto sent = rtt_.acknowledged(opposite(d), s, at.time, full_segment()))
      rate_.acknowledged(opposite(d), s.ack, *sent, at.time);
  other.stream.acknowledged(s.ack, at);
  if (other.stream.missing_acknowledged()) release_holes(opposite(d), s, at);
}

/// Of direction `d`, whose missing bytes were acknowledged; `s` is the present segment of the other
/// one. A reply is never given before the call that it acknowledges.
void tcp_connection::release_holes(direction d, const tcp_segment& s, stamp at) {
  auto& stream = of(d).stream;
  if (s.payload_wire_length == 0 && !s.has(tcp_flag::fin) &&
      at.time - *stream.missing_acknowledged() < capture_disorder)
    return;
  stream.release_acknowledged(*consumer_);
  refresh_gap_bytes();
}

void tcp_connection::take_payload(direction d, const tcp_segment& s, const stamp& at) {
  auto& x = of(d);
  const u32 seq = s.seq + (s.has(tcp_flag::syn) ? 1 : 0);
  if (!x.stream.started() || x.stream.guessed()) x.stream.start(seq);
  const nanos hole_since = x.stream.has_hole() ? x.stream.hole_since() : at.time;
  const auto how = x.stream.segment(seq, s.payload, s.payload_wire_length, at, *consumer_);
  count(how, at.time - hole_since);
  if (how != arrival::keep_alive && how != arrival::out_of_window)
    rtt_.sent(d, s, at.time, how != arrival::in_order && how != arrival::ahead);
  if (how == arrival::in_order) {
    const auto length = s.payload_wire_length;
    rate_.arrived(d, length, length >= full_segment(), at.time);
  }

  // What fills the hole may still come: it was captured out of order.
  if (const auto missing = x.stream.missing_acknowledged();
      missing && at.time - *missing >= capture_disorder)
    x.stream.release_acknowledged(*consumer_);
  else if (x.stream.has_hole() && !of(opposite(d)).any_seen &&
           at.time - x.stream.hole_since() > limits_.one_way_hole)
    x.stream.give_up_hole(at, *consumer_);
  if (how != arrival::in_order) refresh_gap_bytes();
}

/// `waited`: since the hole that a filling segment fills.
void tcp_connection::count(arrival how, nanos waited) noexcept {
  const auto reordered = facts_.rtt_from == rtt_source::none
                             ? reordering_age
                             : std::min(reordering_age, facts_.rtt_min);
  switch (how) {
  case arrival::keep_alive:
    ++facts_.keep_alives;
    return;
  case arrival::out_of_window:
    ++counters_.segments_out_of_window;
    return;
  case arrival::old:
    ++facts_.retransmitted;
    break;
  case arrival::filled:
    ++(waited <= reordered ? facts_.out_of_order : facts_.late_fills);
    break;
  case arrival::in_order:
  case arrival::ahead:
  case arrival::partly_old:
    break;
  }
  ++facts_.segments;
}

void tcp_connection::take_window(direction d, const tcp_segment& s, nanos at) noexcept {
  if (s.has(tcp_flag::syn) || !s.has(tcp_flag::ack)) return;
  auto& x = of(d);
  const bool zero = s.window == 0; // under any scale
  if (zero == x.window_zero) return;
  const bool before = sides_[0].window_zero || sides_[1].window_zero;
  x.window_zero = zero;
  const bool after = sides_[0].window_zero || sides_[1].window_zero;
  if (!before && after) zero_since_ = at;
  if (before && !after) add_zero_window(at - zero_since_);
}

/// A damaged capture may jump between the ends of time: the sum stays where it can be added to.
void tcp_connection::add_zero_window(nanos t) noexcept {
  if (t > nanos{0}) facts_.zero_window += std::min(t, nanos::max() - facts_.zero_window);
}

void tcp_connection::size_up(direction d, const tcp_segment& s,
                             const segment_envelope& e) noexcept {
  const u32 payload = s.payload_wire_length;
  // A sender keeps to what the receiver announced.
  const u32 mss = d == direction::to_server ? facts_.mss_server : facts_.mss_client;
  const bool multiple =
      payload > ethernet_payload &&
      (payload % ethernet_payload == 0 || payload % (ethernet_payload - timestamps_bytes) == 0);
  if (payload > ethernet_payload) {
    ++above_ethernet_;
    if (multiple) ++ethernet_multiples_;
  }
  const bool offload =
      e.length_missing || (mss != 0 ? payload > mss : payload > jumbo_payload || multiple);
  if (offload) facts_.offload_seen = true;
  facts_.largest_segment = std::max(facts_.largest_segment, payload);
  largest_ip_bytes_ = std::max(largest_ip_bytes_, e.ip_bytes);
  if (facts_.mss_client == 0 || facts_.mss_server == 0) {
    constexpr u32 ethernet_mtu = 1500;
    facts_.mtu = !facts_.offload_seen ? largest_ip_bytes_ : on_ethernet() ? ethernet_mtu : 0;
  }
}

void tcp_connection::refresh_gap_bytes() noexcept {
  facts_.gap_bytes = sides_[0].stream.gap_bytes() + sides_[1].stream.gap_bytes();
}

/// Payload of a full segment, as far as it is known.
u32 tcp_connection::full_segment() const noexcept {
  constexpr u32 least = 1200;
  if (facts_.mss_client == 0 || facts_.mss_server == 0)
    return on_ethernet() ? ethernet_payload
                         : std::clamp(facts_.largest_segment, least, jumbo_payload);
  const u32 mss = std::min(facts_.mss_client, facts_.mss_server);
  return std::max(mss, 2 * timestamps_bytes) - (facts_.timestamps ? timestamps_bytes : 0);
}

} // namespace profiler::net
