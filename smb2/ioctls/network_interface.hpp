#pragma once

#include "smb2/info/entries.hpp"

#include <string>

/// FSCTL_QUERY_NETWORK_INTERFACE_INFO: where else the server can be reached, for further channels.
namespace smb2 {

/// One address of the server; walk them with entry_walker, each at a multiple of 8.
/// · bytes: 152 · units: link_speed in bit/s · source: MS-SMB2 2.2.32.5
struct network_interface_info {
  static constexpr std::string_view title = "NETWORK_INTERFACE_INFO";
  static constexpr u32 rss_capable = 0x0000'0001;
  static constexpr u32 rdma_capable = 0x0000'0002;
  static constexpr u16 inter_network = 0x0002;    ///< family: IPv4
  static constexpr u16 inter_network_v6 = 0x0017; ///< family: IPv6

  u32 next_entry_offset = 0;
  u32 if_index = 0;
  u32 capability = 0;
  u64 link_speed = 0;
  u16 family = 0;
  std::array<std::byte, 126> address{}; ///< port (2), and what the family has

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "if_index", m.if_index, "capability",
              m.capability) &&
           ar.pad(4) && ar("link_speed", m.link_speed, "family", m.family, "address", m.address);
  }

  /// The 4 or 16 bytes of the address in network order; none for another family.
  [[nodiscard]] bytes ip() const noexcept {
    if (family == inter_network) return bytes(address).subspan(2, 4);
    if (family == inter_network_v6) return bytes(address).subspan(6, 16);
    return {};
  }
};

} // namespace smb2
