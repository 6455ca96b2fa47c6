#pragma once

#include "profiler/link/encapsulation.hpp"

namespace profiler::link {

/// An IP packet is the payload of another one.
/// · source: RFC 2003, RFC 4213 section 3 (IPv6 in IPv4), RFC 2473 (either in IPv6)
struct ip_in_ip {
  static constexpr u8 ip_protocol_v4 = 4;
  static constexpr u8 ip_protocol_v6 = 41;

  static unwrapped unwrap_v4(packet_part p) noexcept {
    return {.is = unwrapped::state::packet,
            .kind = encapsulation::ip_in_ip,
            .packet = {.protocol = ether_type::ipv4, .data = p.data, .wire_length = p.wire_length}};
  }
  static unwrapped unwrap_v6(packet_part p) noexcept {
    return {.is = unwrapped::state::packet,
            .kind = encapsulation::ipv6_in_ip,
            .packet = {.protocol = ether_type::ipv6, .data = p.data, .wire_length = p.wire_length}};
  }
};

/// · source: RFC 4303
struct esp {
  static constexpr u8 ip_protocol = 50;
  static unwrapped unwrap(packet_part) noexcept { return {.is = unwrapped::state::encrypted}; }
};

} // namespace profiler::link
