#pragma once

#include "profiler/link/tunnels/ppp.hpp"

#include <algorithm>

namespace profiler::link {

/// Version and type, code, session, length; in sessions a PPP frame follows.
/// · source: RFC 2516 section 4
struct pppoe {
  static constexpr encapsulation kind = encapsulation::pppoe;
  static constexpr u16 ether_type_discovery = 0x8863;
  static constexpr u16 ether_type_session = 0x8864;
  static constexpr std::size_t header_bytes = 6;

  static unwrapped unwrap(packet_part outer) noexcept {
    using state = unwrapped::state;
    if (outer.data.size() < header_bytes) return {.is = state::cut, .kind = kind};
    const auto* h = outer.data.data();
    if (std::to_integer<u8>(h[0]) != 0x11) return {.is = state::bad, .kind = kind};
    const u32 session = wire::load_be<u16>(h + 2);
    if (std::to_integer<u8>(h[1]) != 0) return {.is = state::control, .kind = kind};
    auto inside = outer.behind(header_bytes);
    // Behind the length stands Ethernet's padding. 0: larger than it can say (offload).
    if (const u32 length = wire::load_be<u16>(h + 4); length != 0) {
      inside.wire_length = std::min(inside.wire_length, length);
      inside.data =
          inside.data.first(std::min<std::size_t>(inside.data.size(), inside.wire_length));
    }
    const auto packet = strip_ppp(inside);
    if (!packet) return {.is = state::cut, .kind = kind};
    return {.is = packet->protocol == 0 ? state::control : state::packet,
            .kind = kind,
            .network = session,
            .packet = *packet};
  }

  /// Finding a server and leaving it: no packets inside.
  static unwrapped discovery(packet_part) noexcept {
    return {.is = unwrapped::state::control, .kind = kind};
  }
};

} // namespace profiler::link
