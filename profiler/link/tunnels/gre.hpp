#pragma once

#include "profiler/link/ethernet.hpp"
#include "profiler/link/raw_ip.hpp"
#include "profiler/link/tunnels/ppp.hpp"

namespace profiler::link {

/// Flags and version, an Ethernet type, then what the flags say is there: checksum, routing, key,
/// sequence number, in version 1 (PPTP) an acknowledgement. Inside are IP, MPLS, Ethernet, PPP, or
/// ERSPAN: a mirrored frame, behind a header of its own in its types II and III.
/// · source: RFC 2784, RFC 2890, RFC 1701 (routing), RFC 2637 section 4.1, draft-foschiano-erspan
struct gre {
  static constexpr u8 ip_protocol = 47;

  static unwrapped unwrap(packet_part outer) noexcept {
    using state = unwrapped::state;
    constexpr std::size_t fixed_bytes = 4;
    if (outer.data.size() < fixed_bytes) return refused(state::cut);
    const u32 flags = wire::load_be<u16>(outer.data.data());
    const u16 type = wire::load_be<u16>(outer.data.data() + 2);
    const u32 version = flags & 7;
    if (version > 1) return refused(state::bad);
    auto p = outer.behind(fixed_bytes);
    u32 key = no_network;
    const bool routed = (flags & 0x4000) != 0;
    if ((flags & 0x8000) != 0 || routed) // with either there is room for checksum and offset
      if (!take(p, nullptr)) return refused(state::cut);
    if ((flags & 0x2000) != 0 && !take(p, &key)) return refused(state::cut);
    const bool sequenced = (flags & 0x1000) != 0;
    if (sequenced && !take(p, nullptr)) return refused(state::cut);
    if (version == 1 && (flags & 0x0080) != 0 && !take(p, nullptr)) return refused(state::cut);
    if (routed && !skip_routes(p)) return refused(state::cut);
    // PPTP's key is a length and a call number.
    if (version == 1 && key != no_network) key &= 0xffff;
    return inside(p, type, key, sequenced);
  }

 private:
  static constexpr u16 type_bridging = 0x6558;
  static constexpr u16 type_ppp = 0x880b;
  static constexpr u16 type_erspan = 0x88be;
  static constexpr u16 type_erspan_3 = 0x22eb;

  static unwrapped refused(unwrapped::state why) noexcept {
    return {.is = why, .kind = encapsulation::gre};
  }

  static bool take(packet_part& p, u32* field) noexcept {
    if (p.data.size() < 4) return false;
    if (field != nullptr) *field = wire::load_be<u32>(p.data.data());
    p = p.behind(4);
    return true;
  }

  /// Source routes: address family, offset, length; the last has neither family nor length.
  static bool skip_routes(packet_part& p) noexcept {
    while (p.data.size() >= 4) {
      const u16 family = wire::load_be<u16>(p.data.data());
      const std::size_t length = 4 + std::to_integer<std::size_t>(p.data[3]);
      if (length > p.data.size()) return false;
      p = p.behind(length);
      if (family == 0 && length == 4) return true;
    }
    return false;
  }

  static unwrapped of(encapsulation kind, u32 network,
                      const std::optional<network_packet>& packet) noexcept {
    if (!packet) return {.is = unwrapped::state::cut, .kind = kind};
    return {.is = unwrapped::state::packet, .kind = kind, .network = network, .packet = *packet};
  }

  static unwrapped inside(packet_part p, u16 type, u32 key, bool sequenced) noexcept {
    switch (type) {
    case 0: // a keep-alive that the other end sent back
      return refused(unwrapped::state::control);
    case type_bridging:
      return of(encapsulation::gre, key, ethernet::strip(p.data, p.wire_length));
    case type_ppp:
      return of(encapsulation::gre, key, strip_ppp(p));
    case type_erspan:
      return sequenced
                 ? erspan_2(p)
                 : of(encapsulation::erspan, no_network, ethernet::strip(p.data, p.wire_length));
    case type_erspan_3:
      return erspan_3(p);
    default:
      return of(encapsulation::gre, key, strip_tags(p.data, p.wire_length, 0, type));
    }
  }

  static u32 session_of(packet_part p) noexcept {
    return wire::load_be<u16>(p.data.data() + 2) & 0x03ff;
  }

  static unwrapped erspan_2(packet_part p) noexcept {
    constexpr std::size_t header_bytes = 8;
    if (p.data.size() < header_bytes) return of(encapsulation::erspan, no_network, {});
    const auto frame = p.behind(header_bytes);
    return of(encapsulation::erspan, session_of(p), ethernet::strip(frame.data, frame.wire_length));
  }

  static unwrapped erspan_3(packet_part p) noexcept {
    constexpr std::size_t header_bytes = 12;
    constexpr std::size_t platform_bytes = 8;
    if (p.data.size() < header_bytes) return of(encapsulation::erspan, no_network, {});
    const u32 last = wire::load_be<u16>(p.data.data() + 10);
    const std::size_t skip = header_bytes + ((last & 1) != 0 ? platform_bytes : 0);
    if (p.data.size() < skip) return of(encapsulation::erspan, no_network, {});
    const auto frame = p.behind(skip);
    constexpr u32 type_ip = 2;
    return of(encapsulation::erspan, session_of(p),
              (last >> 10 & 0x1f) == type_ip ? raw_ip::strip(frame.data, frame.wire_length)
                                             : ethernet::strip(frame.data, frame.wire_length));
  }
};

} // namespace profiler::link
