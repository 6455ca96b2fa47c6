#pragma once

#include "profiler/link/layer.hpp"

namespace profiler::link {

/// The IP header stands first; its version field says which it is. Files hold five numbers for it:
/// the official one, two that old libpcaps wrote as they were in memory, and one per version.
/// · source: tcpdump.org, LINKTYPE_RAW, LINKTYPE_IPV4, LINKTYPE_IPV6
struct raw_ip {
  static constexpr u32 link_type = 101;
  static constexpr u32 link_type_bsd = 12;
  static constexpr u32 link_type_openbsd = 14;
  static constexpr u32 link_type_v4 = 228;
  static constexpr u32 link_type_v6 = 229;
  static constexpr std::string_view name = "raw IP";

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.empty()) return std::nullopt;
    const auto version = std::to_integer<u8>(frame[0]) >> 4;
    return network_packet{.protocol = version == 4   ? ether_type::ipv4
                                      : version == 6 ? ether_type::ipv6
                                                     : u16{0},
                          .data = frame,
                          .wire_length = wire_length};
  }
};

} // namespace profiler::link
