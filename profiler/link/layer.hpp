#pragma once

#include "wire/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace profiler::link {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u8;

namespace ether_type {
inline constexpr u16 ipv4 = 0x0800;
inline constexpr u16 ipv6 = 0x86dd;
} // namespace ether_type

/// What a frame carries, without its link header.
struct network_packet {
  u16 protocol = 0;    ///< an Ethernet type; 0: the frame has none (spanning tree and the like)
  u8 tags = 0;         ///< 802.1Q tags that were taken off
  u16 vlan = 0;        ///< of the innermost tag
  bytes data;          ///< from the network header on; Ethernet's padding may follow
  u32 wire_length = 0; ///< of data on the wire, ≥ data.size()
};

/// Takes the link header off; nothing when the frame ends inside it.
/// · lifetime: the packet's data points into the frame.
using strip_function = std::optional<network_packet> (*)(bytes frame, u32 wire_length);

/// How one LINKTYPE_… value frames its packets.
struct layer {
  u32 link_type;
  std::string_view name;
  strip_function strip;
};

/// nullptr for a link type that nobody has described.
[[nodiscard]] const layer* find(u32 link_type) noexcept;

/// "Ethernet", or "link type 147"
[[nodiscard]] std::string name_of(u32 link_type);

} // namespace profiler::link
