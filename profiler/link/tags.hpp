#pragma once

#include "profiler/link/layer.hpp"

namespace profiler::link {

/// Customers' tags inside providers' tags: two are common, and more than four nobody sends.
inline constexpr u8 tags_max = 4;

[[nodiscard]] inline bool is_tag(u16 type) noexcept {
  // Customers' and providers' tags, and what was used for the latter before 802.1ad.
  return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

/// Takes 802.1Q tags off that stand behind a type field: the tag's control field, then the next
/// type. `header` bytes of the frame have been read, the last two of them being `type`.
/// · source: IEEE 802.1Q-2018 section 9
[[nodiscard]] inline std::optional<network_packet> strip_tags(bytes frame, u32 wire_length,
                                                              std::size_t header, u16 type) {
  network_packet out;
  while (is_tag(type) && out.tags < tags_max) {
    if (frame.size() - header < 4) return std::nullopt;
    out.vlan = wire::load_be<u16>(frame.data() + header) & 0x0fff;
    type = wire::load_be<u16>(frame.data() + header + 2);
    header += 4;
    ++out.tags;
  }
  out.protocol = type;
  out.data = frame.subspan(header);
  out.wire_length = wire_length - static_cast<u32>(header);
  return out;
}

} // namespace profiler::link
