#pragma once

#include "profiler/link/layer.hpp"

#include <array>

namespace profiler::link {

/// What a packet may be wrapped in on its way, between the link layer and the IP packet that is
/// looked at.
enum class encapsulation : u8 {
  vlan,
  pppoe,
  mpls,
  gre,
  erspan,
  vxlan,
  vxlan_gpe,
  geneve,
  ip_in_ip,
  ipv6_in_ip,
  macsec,
  vntag,
  fabricpath,
  hsr,
};

/// "VLAN", "VXLAN", in the order of the enumeration.
inline constexpr std::array encapsulation_names{
    std::string_view("VLAN"),       std::string_view("PPPoE"),  std::string_view("MPLS"),
    std::string_view("GRE"),        std::string_view("ERSPAN"), std::string_view("VXLAN"),
    std::string_view("VXLAN-GPE"),  std::string_view("GENEVE"), std::string_view("IP-in-IP"),
    std::string_view("IPv6-in-IP"), std::string_view("MACsec"), std::string_view("VN-Tag"),
    std::string_view("FabricPath"), std::string_view("HSR"),
};
inline constexpr std::size_t encapsulation_count = encapsulation_names.size();
static_assert(static_cast<std::size_t>(encapsulation::hsr) + 1 == encapsulation_count);

[[nodiscard]] constexpr std::string_view name_of(encapsulation e) noexcept {
  return encapsulation_names[static_cast<std::size_t>(e)];
}

/// The number that tells one network from another in the same encapsulation: VLAN, VNI, label,
/// session or key.
inline constexpr u32 no_network = ~u32{0};

/// Part of a packet: what was captured of it, and how long it was on the wire.
struct packet_part {
  bytes data;
  u32 wire_length = 0; ///< ≥ data.size()

  /// What stands behind the first `n` bytes, of which there must be as many in `data`.
  [[nodiscard]] packet_part behind(std::size_t n) const noexcept {
    return {data.subspan(n), wire_length - static_cast<u32>(n)};
  }
};

/// What came out of an encapsulation.
struct unwrapped {
  enum class state : u8 {
    packet,    ///< `packet` is there
    cut,       ///< the snap length ends inside the header
    bad,       ///< the header contradicts itself
    control,   ///< the encapsulation's own signalling: discovery, keep-alives
    encrypted, ///< nobody can look into it
    foreign,   ///< it is not this encapsulation after all
  };
  state is = state::foreign;
  encapsulation kind{};
  u32 network = no_network;
  network_packet packet{};
};

/// Takes one encapsulation off. · lifetime: the packet points into `outer`.
using unwrap_function = unwrapped (*)(packet_part outer);

/// How a packet with this Ethernet type, IP protocol number or UDP destination port is wrapped;
/// nullptr when nothing of ours is.
[[nodiscard]] unwrap_function unwrap_by_ether_type(u16 type) noexcept;
[[nodiscard]] unwrap_function unwrap_by_ip_protocol(u8 protocol) noexcept;
[[nodiscard]] unwrap_function unwrap_by_udp_port(u16 port) noexcept;

/// Encapsulations of one packet, the outermost first. Deeper ones than `levels_max` are counted and
/// not told.
class wrapping {
 public:
  static constexpr std::size_t levels_max = 4;

  struct level {
    encapsulation kind{};
    u32 network = no_network;

    friend bool operator==(const level&, const level&) = default;
  };

  void add(encapsulation kind, u32 network) noexcept {
    if (depth_ < levels_max) levels_[depth_++] = {kind, network};
  }
  void clear() noexcept {
    if (depth_ != 0) *this = {};
  }
  [[nodiscard]] bool empty() const noexcept { return depth_ == 0; }

  friend bool operator==(const wrapping&, const wrapping&) = default;

  /// "VXLAN 42 in VLAN 7": the innermost first.
  [[nodiscard]] std::string text() const;

 private:
  std::array<level, levels_max> levels_{};
  u8 depth_ = 0;
};

} // namespace profiler::link
