#pragma once

#include "profiler/link/layer.hpp"

namespace profiler::link {

/// BSD loopback: 4 bytes of address family, for NULL in the byte order of the host that captured
/// and for LOOP in network order. IPv6 has three numbers, depending on the BSD, and Linux has its
/// own.
/// · source: tcpdump.org, LINKTYPE_NULL and LINKTYPE_LOOP
struct null_loopback {
  static constexpr u32 link_type = 0;
  static constexpr u32 link_type_network_order = 108;
  static constexpr std::string_view name = "loopback";
  static constexpr std::size_t header_bytes = 4;

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.size() < header_bytes) return std::nullopt;
    auto family = wire::load_le<u32>(frame.data());
    if (family > 0xffff) family = std::byteswap(family); // families are small numbers
    return network_packet{.protocol = protocol_of(family),
                          .data = frame.subspan(header_bytes),
                          .wire_length = wire_length - static_cast<u32>(header_bytes)};
  }

 private:
  static u16 protocol_of(u32 family) noexcept {
    if (family == 2) return ether_type::ipv4;
    if (family == 10 || family == 24 || family == 28 || family == 30) return ether_type::ipv6;
    return 0;
  }
};

} // namespace profiler::link
