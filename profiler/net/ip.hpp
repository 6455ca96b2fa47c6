#pragma once

#include "profiler/link/layer.hpp"
#include "profiler/net/consumer.hpp"

namespace profiler::net {

namespace ip_protocol {
inline constexpr u8 tcp = 6;
inline constexpr u8 udp = 17;
} // namespace ip_protocol

/// Why a header gives nothing.
enum class header_state : u8 {
  ok,
  cut,     ///< the snap length ends inside it
  bad,     ///< it contradicts itself
  foreign, ///< neither IPv4 nor IPv6
};

/// One IP packet of either version, its headers read. Without values as long as that has not gone
/// well: to clear it for each packet costs as much as to read a header.
struct ip_packet {
  endpoint from; ///< port 0: it is the transport's
  endpoint to;
  u8 protocol; ///< of the payload
  u8 ttl;
  u32 id; ///< identification; IPv6 has one in fragments only
  bool fragment;
  bool more_fragments;
  u32 fragment_offset; ///< bytes
  u32 header_bytes;    ///< all IP headers
  /// The header's length field was 0: the frame was larger than it can say (segmentation offload).
  bool length_missing;
  bytes payload; ///< as captured, without Ethernet's padding
  u32 payload_wire_length;
};

/// · lifetime: the payload points into the network packet.
[[nodiscard]] header_state parse_ip(const link::network_packet& in, ip_packet& out) noexcept;

/// · source: RFC 791 section 3.1
[[nodiscard]] header_state parse_ipv4(const link::network_packet& in, ip_packet& out) noexcept;

/// Extension headers are passed over, up to `extension_headers_max` of them.
/// · source: RFC 8200 sections 3 and 4
[[nodiscard]] header_state parse_ipv6(const link::network_packet& in, ip_packet& out) noexcept;

inline constexpr int extension_headers_max = 16;

} // namespace profiler::net
