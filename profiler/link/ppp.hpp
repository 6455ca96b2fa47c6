#pragma once

#include "profiler/link/tags.hpp"
#include "profiler/link/tunnels/pppoe.hpp"

namespace profiler::link {

namespace detail {

inline std::optional<network_packet> strip_ppp_or_cisco(bytes frame, u32 wire_length) noexcept {
  // Cisco's HDLC says by its address (unicast or broadcast) that an Ethernet type follows.
  if (frame.size() >= 4 && (frame[0] == std::byte{0x0f} || frame[0] == std::byte{0x8f}) &&
      frame[1] == std::byte{0})
    return strip_tags(frame, wire_length, 4, wire::load_be<u16>(frame.data() + 2));
  return strip_ppp({frame, wire_length});
}

} // namespace detail

/// PPP, with or without address and control; some devices put Cisco's HDLC there.
/// · source: tcpdump.org, LINKTYPE_PPP, LINKTYPE_PPP_HDLC, LINKTYPE_C_HDLC
struct ppp {
  static constexpr u32 link_type = 9;
  static constexpr u32 link_type_hdlc = 50;
  static constexpr u32 link_type_cisco = 104;
  static constexpr std::string_view name = "PPP";

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    return detail::strip_ppp_or_cisco(frame, wire_length);
  }
};

/// A byte of direction before it.
/// · source: tcpdump.org, LINKTYPE_PPP_WITH_DIR
struct ppp_with_direction {
  static constexpr u32 link_type = 204;
  static constexpr std::string_view name = "PPP with direction";

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.empty()) return std::nullopt;
    return detail::strip_ppp_or_cisco(frame.subspan(1), wire_length - 1);
  }
};

/// PPPoE without the Ethernet header.
/// · source: tcpdump.org, LINKTYPE_PPP_ETHER
struct ppp_ethernet {
  static constexpr u32 link_type = 51;
  static constexpr std::string_view name = "PPPoE";

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    if (frame.empty()) return std::nullopt;
    return network_packet{
        .protocol = pppoe::ether_type_session, .data = frame, .wire_length = wire_length};
  }
};

} // namespace profiler::link
