#include "profiler/net/icmp.hpp"

#include "profiler/net/flow_id.hpp"

namespace profiler::net {

namespace {

bool is_of_service(bytes quoted, u16 ether_type) noexcept {
  ip_packet about;
  const link::network_packet in{
      .protocol = ether_type, .data = quoted, .wire_length = static_cast<u32>(quoted.size())};
  if (parse_ip(in, about) != header_state::ok) return false;
  if (about.protocol != ip_protocol::tcp && about.protocol != ip_protocol::udp) return false;
  if (about.fragment_offset != 0 || about.payload.size() < 4) return false;
  return is_service_port(wire::load_be<u16>(about.payload.data())) ||
         is_service_port(wire::load_be<u16>(about.payload.data() + 2));
}

} // namespace

icmp_report read_icmp(const ip_packet& ip) noexcept {
  constexpr std::size_t header_bytes = 8;
  if (ip.payload.size() < header_bytes) return icmp_report::none;
  const auto type = std::to_integer<u8>(ip.payload[0]);
  const auto code = std::to_integer<u8>(ip.payload[1]);
  const auto quoted = ip.payload.subspan(header_bytes);
  if (ip.protocol == ip_protocol::icmp) {
    constexpr u8 destination_unreachable = 3;
    constexpr u8 fragmentation_needed = 4;
    if (type != destination_unreachable || !is_of_service(quoted, link::ether_type::ipv4))
      return icmp_report::none;
    return code == fragmentation_needed ? icmp_report::too_big : icmp_report::unreachable;
  }
  constexpr u8 destination_unreachable = 1;
  constexpr u8 packet_too_big = 2;
  if ((type != destination_unreachable && type != packet_too_big) ||
      !is_of_service(quoted, link::ether_type::ipv6))
    return icmp_report::none;
  return type == packet_too_big ? icmp_report::too_big : icmp_report::unreachable;
}

} // namespace profiler::net
