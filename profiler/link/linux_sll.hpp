#pragma once

#include "profiler/link/tags.hpp"

namespace profiler::link {

/// Linux "cooked" capture: packet type, hardware type, address length, 8 bytes of address, type.
/// · source: tcpdump.org, LINKTYPE_LINUX_SLL
struct linux_sll {
  static constexpr u32 link_type = 113;
  static constexpr std::string_view name = "Linux cooked";
  static constexpr std::size_t header_bytes = 16;

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.size() < header_bytes) return std::nullopt;
    return strip_tags(frame, wire_length, header_bytes, wire::load_be<u16>(frame.data() + 14));
  }
};

} // namespace profiler::link
