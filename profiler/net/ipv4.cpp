#include "profiler/net/ip.hpp"

#include <algorithm>

namespace profiler::net {

header_state parse_ipv4(const link::network_packet& in, ip_packet& out) noexcept {
  constexpr std::size_t header_bytes_min = 20;
  if (in.data.size() < header_bytes_min)
    return in.wire_length < header_bytes_min ? header_state::bad : header_state::cut;
  const auto* h = in.data.data();
  const auto first = std::to_integer<u32>(h[0]);
  const u32 header_bytes = (first & 0x0f) * 4;
  if (first >> 4 != 4 || header_bytes < header_bytes_min) return header_state::bad;
  const u32 total = wire::load_be<u16>(h + 2);
  out.length_missing = total == 0;
  const u32 length = out.length_missing ? in.wire_length : total;
  if (length < header_bytes) return header_state::bad;
  if (in.data.size() < header_bytes)
    return in.wire_length < header_bytes ? header_state::bad : header_state::cut;

  const u32 flags = wire::load_be<u16>(h + 6);
  out.id = wire::load_be<u16>(h + 4);
  out.more_fragments = (flags & 0x2000) != 0;
  out.fragment_offset = (flags & 0x1fff) * 8;
  out.fragment = out.more_fragments || out.fragment_offset != 0;
  out.ttl = std::to_integer<u8>(h[8]);
  out.protocol = std::to_integer<u8>(h[9]);
  // In the two words that flows are told apart by: they are read at once.
  const auto mapped = [](endpoint& e, const std::byte* at) {
    auto* to = std::as_writable_bytes(std::span(e.address)).data();
    wire::store_le(to, u64{0});
    wire::store_le(to + 8, u64{wire::load_le<u32>(at)} << 32 | u64{0xffff0000});
  };
  mapped(out.from, h + 12);
  mapped(out.to, h + 16);
  out.header_bytes = header_bytes;
  // The header's own length says what is payload and what is Ethernet's padding, and it stays true
  // where the snap length or a tool shortened the frame.
  out.payload_wire_length = length - header_bytes;
  out.payload = in.data.subspan(
      header_bytes, std::min<std::size_t>(in.data.size() - header_bytes, out.payload_wire_length));
  return header_state::ok;
}

header_state parse_ip(const link::network_packet& in, ip_packet& out) noexcept {
  if (in.protocol == link::ether_type::ipv4) return parse_ipv4(in, out);
  if (in.protocol == link::ether_type::ipv6) return parse_ipv6(in, out);
  return header_state::foreign;
}

} // namespace profiler::net
