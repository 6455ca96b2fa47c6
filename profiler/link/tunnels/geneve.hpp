#pragma once

#include "profiler/link/encapsulation.hpp"
#include "profiler/link/ethernet.hpp"

namespace profiler::link {

/// Version and length of the options, flags, an Ethernet type, the network identifier, a byte, the
/// options.
/// · source: RFC 8926 section 3.4
struct geneve {
  static constexpr encapsulation kind = encapsulation::geneve;
  static constexpr u16 udp_port = 6081;

  static unwrapped unwrap(packet_part outer) noexcept {
    using state = unwrapped::state;
    constexpr std::size_t fixed_bytes = 8;
    constexpr u16 bridging = 0x6558;
    if (outer.data.size() < fixed_bytes)
      return {.is = outer.wire_length < fixed_bytes ? state::foreign : state::cut, .kind = kind};
    const auto* h = outer.data.data();
    const auto first = std::to_integer<std::size_t>(h[0]);
    const u16 type = wire::load_be<u16>(h + 2);
    if (first >> 6 != 0) return {.is = state::foreign};
    if (type != bridging && type < 0x0600) return {.is = state::foreign};
    const std::size_t header_bytes = fixed_bytes + (first & 0x3f) * 4;
    if (header_bytes > outer.wire_length) return {.is = state::foreign};
    if (header_bytes > outer.data.size()) return {.is = state::cut, .kind = kind};
    const auto p = outer.behind(header_bytes);
    const auto packet = type == bridging ? ethernet::strip(p.data, p.wire_length)
                                         : strip_tags(p.data, p.wire_length, 0, type);
    if (!packet) return {.is = state::cut, .kind = kind};
    return {.is = state::packet,
            .kind = kind,
            .network = wire::load_be<u32>(h + 4) >> 8,
            .packet = *packet};
  }
};

} // namespace profiler::link
