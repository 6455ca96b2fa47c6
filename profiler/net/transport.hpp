#pragma once

#include "profiler/net/ip.hpp"

namespace profiler::net {

namespace tcp_flag {
inline constexpr u8 fin = 0x01;
inline constexpr u8 syn = 0x02;
inline constexpr u8 rst = 0x04;
inline constexpr u8 psh = 0x08;
inline constexpr u8 ack = 0x10;
} // namespace tcp_flag

/// One TCP segment, its header read.
struct tcp_segment {
  u16 source_port = 0;
  u16 destination_port = 0;
  u32 seq = 0;
  u32 ack = 0;
  u8 flags = 0;
  u16 window = 0; ///< as it stands there, not scaled
  u16 checksum = 0;
  u16 mss = 0; ///< 0: no such option
  u8 window_scale = tcp_facts::no_window_scale;
  bool sack_permitted = false;
  bool has_timestamps = false;
  u32 ts_value = 0;
  u32 ts_echo = 0;
  bytes payload;
  u32 payload_wire_length = 0;

  [[nodiscard]] bool has(u8 flag) const noexcept { return (flags & flag) != 0; }
};

/// The first 20 bytes must have been captured; options behind the snap length count as absent.
/// · lifetime: the payload points into `data`.
/// · source: RFC 9293 section 3.1, RFC 7323, RFC 2018
[[nodiscard]] header_state parse_tcp(bytes data, u32 wire_length, tcp_segment& out) noexcept;

struct udp_datagram {
  u16 source_port = 0;
  u16 destination_port = 0;
  u16 checksum = 0; ///< 0: none
  bytes payload;
  u32 payload_wire_length = 0;
};

/// · source: RFC 768; a length of 0 is a jumbogram's (RFC 2675 section 4)
[[nodiscard]] header_state parse_udp(bytes data, u32 wire_length, udp_datagram& out) noexcept;

} // namespace profiler::net
