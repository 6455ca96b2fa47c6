#pragma once

#include "profiler/link/tags.hpp"

namespace profiler::link {

/// Linux "cooked" capture, version 2: the type comes first, the interface is known, 20 bytes.
/// · source: tcpdump.org, LINKTYPE_LINUX_SLL2
struct linux_sll2 {
  static constexpr u32 link_type = 276;
  static constexpr std::string_view name = "Linux cooked v2";
  static constexpr std::size_t header_bytes = 20;

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.size() < header_bytes) return std::nullopt;
    return strip_tags(frame, wire_length, header_bytes, wire::load_be<u16>(frame.data()));
  }
};

} // namespace profiler::link
