#pragma once

#include "profiler/link/encapsulation.hpp"
#include "wire/bytes.hpp"

#include <array>
#include <compare>
#include <memory>
#include <string>

namespace profiler::net {

using wire::bytes;
using wire::nanos;
using wire::stamp;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// An IPv4 address is kept in its IPv6-mapped form, so that one type serves both.
struct endpoint {
  std::array<u8, 16> address{};
  u16 port = 0;

  friend auto operator<=>(const endpoint&, const endpoint&) = default;
};

/// "198.18.2.1:741" or "[fd00::1]:2049"
[[nodiscard]] std::string text_of(const endpoint& e);

/// Who talks to whom. The client is who sent the SYN, else who has the port that is not a
/// service's (111, 2049, 445, 139, 20048), else who has the higher port.
struct flow_key {
  endpoint client;
  endpoint server;
  bool tcp = true;

  friend auto operator<=>(const flow_key&, const flow_key&) = default;
};

enum class direction : u8 { to_server, to_client };

[[nodiscard]] constexpr direction opposite(direction d) noexcept {
  return d == direction::to_server ? direction::to_client : direction::to_server;
}
/// A place in an array of two.
[[nodiscard]] constexpr std::size_t index_of(direction d) noexcept {
  return static_cast<std::size_t>(d);
}

enum class rtt_source : u8 { none, handshake, data_ack, timestamp_echo };

enum class unseen_side : u8 { none, client, server };

/// What TCP itself tells of a connection, so far. Times in ns, sizes in bytes.
struct tcp_facts {
  u32 mss_client = 0;      ///< announced in the SYN; 0: not seen
  u32 mss_server = 0;      ///< announced in the SYN-ACK
  u32 largest_segment = 0; ///< payload of the largest segment either way
  bool handshake_seen = false;
  bool offload_seen = false; ///< segments above the MSS: transmit times are lower bounds
  /// The sum of both sides of the capture point, or the one side of which anything is known; 0 and
  /// `none` when there is no estimate that can be trusted. Samples come from the handshake and from
  /// acknowledgements that were not delayed (profiler/net/rtt.hpp).
  nanos rtt_min{0};
  nanos rtt_p50{0};
  rtt_source rtt_from = rtt_source::none;
  /// The part of a round trip between the capture point and the server; what `network` may explain
  /// of r0 − q1. At a client's capture point it equals the RTT, at a server's it is near 0.
  nanos server_side_rtt{0};
  u64 segments = 0;      ///< with payload, both ways
  u64 retransmitted = 0; ///< segments that carried only bytes seen before
  u64 out_of_order = 0;
  nanos zero_window{0}; ///< time during which either side's advertised window was 0

  /// Captured twice (mirror ports, "any" interfaces), with payload or without: in nothing else.
  u64 duplicated = 0;
  /// Filled a hole later than reordering explains: sent again for one that was lost before the
  /// capture point. Not in `retransmitted`, whose first copy was seen.
  u64 late_fills = 0;
  u64 keep_alives = 0;
  u64 gap_bytes = 0; ///< given to consumers as gaps
  /// From the MSS of both sides, else from the sizes of the packets; 0: not known.
  u32 mtu = 0;
  std::array<u8, 2> window_scale{no_window_scale, no_window_scale}; ///< client's, server's
  bool timestamps = false;
  bool sack_permitted = false; ///< by both
  u8 ttl_client = 0;           ///< of the first packet: 64, 128 or 255 say that it was sent here
  u8 ttl_server = 0;
  /// Between the capture point and the client, as server_side_rtt is for the server; 0: not known.
  nanos client_side_rtt{0};

  /// What 1 KiB takes through the narrowest part of the way, indexed by direction
  /// (profiler/net/line_rate.hpp); 0: not known, or too fast to tell.
  std::array<nanos, 2> kib_time{};

  /// One side of which not a segment has been captured so far.
  unseen_side unseen = unseen_side::none;
  link::wrapping wrapped;           ///< VLANs and tunnels of the first packet
  bool wrapped_differently = false; ///< others came without, or in others

  static constexpr u8 no_window_scale = 0xff; ///< not seen, or not offered
};

/// Takes the bytes of one connection, in order, each direction for itself.
class stream_consumer {
 public:
  virtual ~stream_consumer() = default;
  /// `data` may be shorter than `wire_length` (snap length); it lives during the call.
  /// `at.time` is when these bytes were first captured: behind a hole it may lie in the past.
  virtual void chunk(direction d, bytes data, u32 wire_length, stamp at) = 0;
  /// `n` bytes were never captured, though the other side acknowledged them or a limit was hit.
  virtual void gap(direction d, u64 n, stamp at) = 0;
  /// Closed, reset, expired, or the capture ended.
  virtual void end(stamp at) = 0;

 protected:
  stream_consumer() = default;
  stream_consumer(const stream_consumer&) = default;
  stream_consumer& operator=(const stream_consumer&) = default;
};

/// What stands above the network layer: makes a consumer for each connection, takes datagrams.
class transport_consumer {
 public:
  virtual ~transport_consumer() = default;
  /// `facts` lives as long as the consumer and is kept up to date. `mid_stream`: no SYN was seen.
  /// May return nullptr when nobody is interested in the connection. The consumer is destroyed
  /// behind its end(); `facts` still stands then, and is complete.
  virtual std::unique_ptr<stream_consumer> open(const flow_key& key, const tcp_facts& facts,
                                                bool mid_stream, stamp at) = 0;
  virtual void datagram(const flow_key& key, direction d, bytes data, u32 wire_length,
                        stamp at) = 0;
  /// One that came in IP fragments: `first` and `last` are when the first and the last of them were
  /// captured. Whoever does not care about the difference gets a datagram.
  virtual void fragmented_datagram(const flow_key& key, direction d, bytes data, u32 wire_length,
                                   stamp first, stamp last) {
    static_cast<void>(first);
    datagram(key, d, data, wire_length, last);
  }

 protected:
  transport_consumer() = default;
  transport_consumer(const transport_consumer&) = default;
  transport_consumer& operator=(const transport_consumer&) = default;
};

} // namespace profiler::net
