#pragma once

#include "profiler/net/duplicates.hpp"
#include "profiler/net/flow_id.hpp"
#include "profiler/net/line_rate.hpp"
#include "profiler/net/rtt.hpp"
#include "profiler/net/tcp_stream.hpp"

namespace profiler::net {

/// What the IP header tells a connection about a segment.
struct segment_envelope {
  u8 ttl = 0;
  u32 ip_bytes = 0;        ///< the whole IP packet on the wire
  u32 ip_header_bytes = 0; ///< its IP headers
  bool length_missing = false;
  packet_print print;
  const link::wrapping* wrapped = nullptr; ///< its VLANs and tunnels; nullptr: none
};

/// One TCP connection that somebody is interested in: both streams, and the facts.
class tcp_connection {
 public:
  tcp_connection(const limits& l, std::size_t& held_bytes, counters& c);
  tcp_connection(const tcp_connection&) = delete;
  tcp_connection& operator=(const tcp_connection&) = delete;
  ~tcp_connection() = default;

  [[nodiscard]] const tcp_facts& facts() const noexcept { return facts_; }
  void attach(std::unique_ptr<stream_consumer> consumer) noexcept {
    consumer_ = std::move(consumer);
  }

  /// `d` is where the segment goes.
  void segment(direction d, const tcp_segment& s, const segment_envelope& e, const stamp& at);

  /// The next bytes in order, or an acknowledgement of more than all before it: the segment was not
  /// here already.
  [[nodiscard]] bool brings_news(direction d, const tcp_segment& s) const noexcept {
    if (s.has(tcp_flag::syn | tcp_flag::fin | tcp_flag::rst)) return false;
    const auto i = index_of(d);
    const auto& stream = sides_[i].stream;
    if (s.payload_wire_length > 0)
      return stream.started() && !stream.has_hole() && s.seq == stream.next();
    return rtt_.acknowledges_more(static_cast<direction>(1 - i), s.ack);
  }

  /// A segment of it was captured once more.
  void duplicate() noexcept { ++facts_.duplicated; }

  /// Passes on what is kept, says end() to the consumer and lets go of it.
  void end(stamp at);
  [[nodiscard]] bool ended() const noexcept { return consumer_ == nullptr; }

  /// Joined in the middle, it may still see its own SYN, captured late; any other one opens another
  /// connection.
  [[nodiscard]] bool can_start_at(direction d, u32 seq) const noexcept {
    const auto& stream = sides_[index_of(d)].stream;
    return !stream.started() || stream.next() == seq;
  }

  /// Passes on what waits behind holes, to free the memory.
  void release(stamp at);

 private:
  /// What one end sends, indexed by where it goes.
  struct side {
    tcp_stream stream;
    bool syn_seen = false;
    bool any_seen = false;
    bool window_zero = false;
  };

  void take_first(direction d, const segment_envelope& e) noexcept;
  void take_wrapping(const link::wrapping* w) noexcept;
  void take_syn(direction d, const tcp_segment& s, const segment_envelope& e);
  void take_reset(direction d, const tcp_segment& s, stamp at);
  void take_ack(direction d, const tcp_segment& s, const stamp& at);
  void take_payload(direction d, const tcp_segment& s, const stamp& at);
  void take_window(direction d, const tcp_segment& s, nanos at) noexcept;
  void add_zero_window(nanos t) noexcept;
  void count(arrival how, nanos waited) noexcept;
  void size_up(direction d, const tcp_segment& s, const segment_envelope& e) noexcept;
  void release_holes(direction d, const tcp_segment& s, stamp at);
  void refresh_gap_bytes() noexcept;
  [[nodiscard]] u32 full_segment() const noexcept;
  /// Most of the large segments are several of Ethernet's put together.
  [[nodiscard]] bool on_ethernet() const noexcept {
    return ethernet_multiples_ > above_ethernet_ / 2;
  }

  side& of(direction d) noexcept { return sides_[index_of(d)]; }

  const limits& limits_;
  counters& counters_;
  tcp_facts facts_;
  rtt_estimator rtt_;
  line_rate rate_;
  std::array<side, 2> sides_;
  nanos zero_since_{0};
  u32 largest_ip_bytes_ = 0;
  u64 above_ethernet_ = 0; ///< segments larger than an Ethernet frame holds
  u64 ethernet_multiples_ = 0;
  std::unique_ptr<stream_consumer> consumer_; ///< last: it goes before the facts do
};

} // namespace profiler::net
