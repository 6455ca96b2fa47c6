#pragma once

#include "profiler/link/encapsulation.hpp"

namespace profiler::link {

/// The Ethernet type of what a PPP protocol number carries; 0: PPP's own negotiation.
/// · source: RFC 1661 section 2, RFC 5072, RFC 3032 section 4.3
[[nodiscard]] constexpr u16 ether_type_of_ppp(u16 protocol) noexcept {
  switch (protocol) {
  case 0x0021:
    return ether_type::ipv4;
  case 0x0057:
    return ether_type::ipv6;
  case 0x0281:
    return 0x8847;
  default:
    return 0;
  }
}

/// A PPP frame from its protocol field on, or from the address and control bytes FF 03 before it. A
/// protocol field of one byte (compressed) is an odd one.
/// · source: RFC 1661 section 2, RFC 1662 section 3.1
[[nodiscard]] inline std::optional<network_packet> strip_ppp(packet_part p) noexcept {
  if (p.data.size() >= 2 && wire::load_be<u16>(p.data.data()) == 0xff03) p = p.behind(2);
  if (p.data.empty() || (p.data.size() == 1 && p.data[0] == std::byte{0xff})) return std::nullopt;
  const bool compressed = (std::to_integer<u8>(p.data[0]) & 1) != 0;
  if (!compressed && p.data.size() < 2) return std::nullopt;
  const u16 protocol =
      compressed ? std::to_integer<u8>(p.data[0]) : wire::load_be<u16>(p.data.data());
  const auto inside = p.behind(compressed ? 1 : 2);
  return network_packet{.protocol = ether_type_of_ppp(protocol),
                        .data = inside.data,
                        .wire_length = inside.wire_length};
}

} // namespace profiler::link
