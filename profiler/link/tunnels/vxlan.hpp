#pragma once

#include "profiler/link/encapsulation.hpp"
#include "profiler/link/ethernet.hpp"

namespace profiler::link {

/// Flags, 3 bytes that extensions use, the network identifier, a byte; then an Ethernet frame. The
/// generic protocol extension says in the fourth byte what follows instead.
/// · source: RFC 7348 section 5, draft-ietf-nvo3-vxlan-gpe section 3
struct vxlan {
  static constexpr u16 udp_port = 4789;
  static constexpr u16 udp_port_linux = 8472; ///< what Linux took before there was a number
  static constexpr u16 udp_port_gpe = 4790;

  static unwrapped unwrap(packet_part outer) noexcept { return take(outer, encapsulation::vxlan); }
  static unwrapped unwrap_gpe(packet_part outer) noexcept {
    return take(outer, encapsulation::vxlan_gpe);
  }

 private:
  static constexpr std::size_t header_bytes = 8;

  static unwrapped take(packet_part outer, encapsulation kind) noexcept {
    using state = unwrapped::state;
    if (outer.data.size() < header_bytes)
      return {.is = outer.wire_length < header_bytes ? state::foreign : state::cut, .kind = kind};
    const auto* h = outer.data.data();
    const auto flags = std::to_integer<u8>(h[0]);
    constexpr u8 has_network = 0x08;
    if ((flags & has_network) == 0) return {.is = state::foreign};
    const auto p = outer.behind(header_bytes);
    unwrapped out{.is = state::packet, .kind = kind, .network = wire::load_be<u32>(h + 4) >> 8};
    constexpr u8 has_protocol = 0x04;
    const auto next = kind == encapsulation::vxlan_gpe && (flags & has_protocol) != 0
                          ? std::to_integer<u8>(h[3])
                          : u8{3};
    const auto packet = inside(p, next);
    if (packet)
      out.packet = *packet;
    else
      out.is = state::cut;
    return out;
  }

  static std::optional<network_packet> inside(packet_part p, u8 next) noexcept {
    constexpr u16 mpls_unicast = 0x8847;
    switch (next) {
    case 1:
      return network_packet{
          .protocol = ether_type::ipv4, .data = p.data, .wire_length = p.wire_length};
    case 2:
      return network_packet{
          .protocol = ether_type::ipv6, .data = p.data, .wire_length = p.wire_length};
    case 3:
      return ethernet::strip(p.data, p.wire_length);
    case 5:
      return network_packet{.protocol = mpls_unicast, .data = p.data, .wire_length = p.wire_length};
    default: // service chains and measurements: nothing that is known here
      return network_packet{.protocol = 0, .data = p.data, .wire_length = p.wire_length};
    }
  }
};

} // namespace profiler::link
