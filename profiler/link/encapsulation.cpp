#include "profiler/link/encapsulation.hpp"

#include "profiler/link/tunnels/geneve.hpp"
#include "profiler/link/tunnels/gre.hpp"
#include "profiler/link/tunnels/ip_in_ip.hpp"
#include "profiler/link/tunnels/mpls.hpp"
#include "profiler/link/tunnels/pppoe.hpp"
#include "profiler/link/tunnels/switch_tags.hpp"
#include "profiler/link/tunnels/vxlan.hpp"

namespace profiler::link {

namespace {

template <class Number>
struct entry {
  Number number;
  unwrap_function unwrap;
};

constexpr std::array by_ether_type{
    entry<u16>{pppoe::ether_type_session, &pppoe::unwrap},
    entry<u16>{pppoe::ether_type_discovery, &pppoe::discovery},
    entry<u16>{mpls::ether_type_unicast, &mpls::unwrap},
    entry<u16>{mpls::ether_type_multicast, &mpls::unwrap},
    entry<u16>{macsec::ether_type, &macsec::unwrap},
    entry<u16>{vn_tag::ether_type, &vn_tag::unwrap},
    entry<u16>{hsr::ether_type, &hsr::unwrap},
    entry<u16>{fabricpath::ether_type, &fabricpath::unwrap},
};

constexpr std::array by_ip_protocol{
    entry<u8>{gre::ip_protocol, &gre::unwrap},
    entry<u8>{ip_in_ip::ip_protocol_v4, &ip_in_ip::unwrap_v4},
    entry<u8>{ip_in_ip::ip_protocol_v6, &ip_in_ip::unwrap_v6},
    entry<u8>{esp::ip_protocol, &esp::unwrap},
};

constexpr std::array by_udp_port{
    entry<u16>{vxlan::udp_port, &vxlan::unwrap},
    entry<u16>{vxlan::udp_port_linux, &vxlan::unwrap},
    entry<u16>{vxlan::udp_port_gpe, &vxlan::unwrap_gpe},
    entry<u16>{geneve::udp_port, &geneve::unwrap},
    entry<u16>{mpls::udp_port, &mpls::unwrap},
};

template <class List, class Number>
unwrap_function find_in(const List& list, Number number) noexcept {
  for (const auto& e : list)
    if (e.number == number) return e.unwrap;
  return nullptr;
}

} // namespace

unwrap_function unwrap_by_ether_type(u16 type) noexcept {
  return find_in(by_ether_type, type);
}

unwrap_function unwrap_by_ip_protocol(u8 protocol) noexcept {
  return find_in(by_ip_protocol, protocol);
}

unwrap_function unwrap_by_udp_port(u16 port) noexcept {
  return find_in(by_udp_port, port);
}

std::string wrapping::text() const {
  std::string out;
  for (std::size_t i = depth_; i-- > 0;) {
    if (!out.empty()) out += " in ";
    out += name_of(levels_[i].kind);
    if (levels_[i].network != no_network) out += ' ' + std::to_string(levels_[i].network);
  }
  return out;
}

} // namespace profiler::link
