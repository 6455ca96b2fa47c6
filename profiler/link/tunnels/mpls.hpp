#pragma once

#include "profiler/link/encapsulation.hpp"
#include "profiler/link/ethernet.hpp"

namespace profiler::link {

/// Labels of 4 bytes up to the one with the bottom-of-stack bit. What is inside no field says: IP
/// by its version, else a pseudowire: Ethernet, most often behind a control word whose first four
/// bits are 0. (A frame to an address that begins with 4 or 6 cannot be told from IP.)
/// · source: RFC 3032 section 2.1, RFC 4385 section 3, RFC 4448 section 4.6
struct mpls {
  static constexpr encapsulation kind = encapsulation::mpls;
  static constexpr u16 ether_type_unicast = 0x8847;
  static constexpr u16 ether_type_multicast = 0x8848;
  static constexpr u16 udp_port = 6635; ///< RFC 7510
  static constexpr int labels_max = 16;

  static unwrapped unwrap(packet_part p) noexcept {
    using state = unwrapped::state;
    u32 label = 0;
    for (int i = 0;; ++i) {
      if (i == labels_max) return {.is = state::bad, .kind = kind};
      if (p.data.size() < 4) return {.is = state::cut, .kind = kind};
      const auto entry = wire::load_be<u32>(p.data.data());
      label = entry >> 12;
      p = p.behind(4);
      if ((entry & 0x100) != 0) break;
    }
    return inside(p, label);
  }

 private:
  static unwrapped inside(packet_part p, u32 label) noexcept {
    using state = unwrapped::state;
    if (p.data.empty()) return {.is = state::cut, .kind = kind};
    unwrapped out{.is = state::packet, .kind = kind, .network = label};
    switch (std::to_integer<u8>(p.data[0]) >> 4) {
    case 4:
      out.packet = {.protocol = ether_type::ipv4, .data = p.data, .wire_length = p.wire_length};
      return out;
    case 6:
      out.packet = {.protocol = ether_type::ipv6, .data = p.data, .wire_length = p.wire_length};
      return out;
    case 0:
      return pseudowire(p, label);
    case 1: // an associated channel (RFC 5586)
      return {.is = state::control, .kind = kind};
    default:
      return of_frame(ethernet::strip(p.data, p.wire_length), label);
    }
  }

  /// With a control word, unless there is IP only without: addresses of many makers begin with 0.
  static unwrapped pseudowire(packet_part p, u32 label) noexcept {
    constexpr std::size_t control_word_bytes = 4;
    if (p.data.size() < control_word_bytes) return {.is = unwrapped::state::cut, .kind = kind};
    const auto frame = p.behind(control_word_bytes);
    const auto behind_word = ethernet::strip(frame.data, frame.wire_length);
    const auto at_once = ethernet::strip(p.data, p.wire_length);
    return of_frame(!is_ip(behind_word) && is_ip(at_once) ? at_once : behind_word, label);
  }

  static bool is_ip(const std::optional<network_packet>& n) noexcept {
    if (!n || n->data.empty()) return false;
    const auto version = std::to_integer<u8>(n->data[0]) >> 4;
    return (n->protocol == ether_type::ipv4 && version == 4) ||
           (n->protocol == ether_type::ipv6 && version == 6);
  }

  static unwrapped of_frame(const std::optional<network_packet>& n, u32 label) noexcept {
    if (!n) return {.is = unwrapped::state::cut, .kind = kind};
    return {.is = unwrapped::state::packet, .kind = kind, .network = label, .packet = *n};
  }
};

} // namespace profiler::link
