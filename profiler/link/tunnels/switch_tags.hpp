#pragma once

#include "profiler/link/encapsulation.hpp"
#include "profiler/link/ethernet.hpp"

namespace profiler::link {

/// What switches and interfaces put between the addresses and the Ethernet type, besides VLANs.

/// Encrypted, or protected from changes only: then its 6 or 14 bytes and 16 behind the packet are
/// all that it adds.
/// · source: IEEE 802.1AE-2018 section 9
struct macsec {
  static constexpr encapsulation kind = encapsulation::macsec;
  static constexpr u16 ether_type = 0x88e5;

  static unwrapped unwrap(packet_part outer) noexcept {
    using state = unwrapped::state;
    if (outer.data.empty()) return {.is = state::cut, .kind = kind};
    const auto control = std::to_integer<u8>(outer.data[0]);
    constexpr u8 encrypted = 0x08;
    constexpr u8 changed = 0x04;
    constexpr u8 channel = 0x20;
    if ((control & (encrypted | changed)) != 0) return {.is = state::encrypted, .kind = kind};
    const std::size_t header_bytes = (control & channel) != 0 ? 14 : 6;
    return behind(outer, header_bytes, kind, no_network);
  }

  /// An Ethernet type stands behind `n` bytes.
  static unwrapped behind(packet_part outer, std::size_t n, encapsulation kind,
                          u32 network) noexcept {
    using state = unwrapped::state;
    if (outer.data.size() < n + 2) return {.is = state::cut, .kind = kind};
    const u16 type = wire::load_be<u16>(outer.data.data() + n);
    const auto packet = strip_tags(outer.data, outer.wire_length, n + 2, type);
    if (!packet) return {.is = state::cut, .kind = kind};
    return {.is = state::packet, .kind = kind, .network = network, .packet = *packet};
  }
};

/// The virtual interface behind one port of a switch.
/// · source: IEEE 802.1BR's forerunner as Cisco ships it: 4 bytes, of which 12 bits name the source
struct vn_tag {
  static constexpr u16 ether_type = 0x8926;
  static unwrapped unwrap(packet_part outer) noexcept {
    return macsec::behind(outer, 4, encapsulation::vntag, no_network);
  }
};

/// Rings that send every frame both ways round: path and size, a sequence number. The copies are
/// duplicated frames.
/// · source: IEC 62439-3 section 5.7
struct hsr {
  static constexpr u16 ether_type = 0x892f;
  static unwrapped unwrap(packet_part outer) noexcept {
    return macsec::behind(outer, 4, encapsulation::hsr, no_network);
  }
};

/// A whole Ethernet frame behind addresses of the fabric and a tag: 10 bits of tree, 6 of TTL.
/// · source: Cisco FabricPath, as TRILL's forerunner (RFC 6325 has another header)
struct fabricpath {
  static constexpr encapsulation kind = encapsulation::fabricpath;
  static constexpr u16 ether_type = 0x8903;

  static unwrapped unwrap(packet_part outer) noexcept {
    using state = unwrapped::state;
    if (outer.data.size() < 2) return {.is = state::cut, .kind = kind};
    const u32 tree = wire::load_be<u16>(outer.data.data()) >> 6;
    const auto p = outer.behind(2);
    const auto packet = ethernet::strip(p.data, p.wire_length);
    if (!packet) return {.is = state::cut, .kind = kind};
    return {.is = state::packet, .kind = kind, .network = tree, .packet = *packet};
  }
};

} // namespace profiler::link
