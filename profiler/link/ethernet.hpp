#pragma once

#include "profiler/link/tags.hpp"

namespace profiler::link {

/// Two addresses of 6 bytes, then a type; below 0x600 it is a length and LLC follows, of which only
/// SNAP carries IP (AA AA 03, three zeros, a type).
/// · source: IEEE 802.3-2018 section 3.2.6, RFC 1042
struct ethernet {
  static constexpr u32 link_type = 1;
  static constexpr std::string_view name = "Ethernet";
  static constexpr std::size_t header_bytes = 14;

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.size() < header_bytes) return std::nullopt;
    const auto type = wire::load_be<u16>(frame.data() + 12);
    if (type >= 0x600) return strip_tags(frame, wire_length, header_bytes, type);
    constexpr std::size_t snap_bytes = 8;
    if (frame.size() < header_bytes + snap_bytes) return std::nullopt;
    const auto* snap = frame.data() + header_bytes;
    if (wire::load_be<u32>(snap) == 0xaaaa0300 && wire::load_be<u16>(snap + 4) == 0)
      return strip_tags(frame, wire_length, header_bytes + snap_bytes,
                        wire::load_be<u16>(snap + 6));
    return network_packet{.protocol = 0,
                          .data = frame.subspan(header_bytes),
                          .wire_length = wire_length - static_cast<u32>(header_bytes)};
  }
};

} // namespace profiler::link
