#include "profiler/net/ip.hpp"

#include <algorithm>

namespace profiler::net {

namespace {

namespace extension {
constexpr u8 hop_by_hop = 0;
constexpr u8 routing = 43;
constexpr u8 fragment = 44;
constexpr u8 authentication = 51;
constexpr u8 destination = 60;
constexpr u8 mobility = 135;
} // namespace extension

bool is_extension(u8 header) noexcept {
  return header == extension::hop_by_hop || header == extension::routing ||
         header == extension::fragment || header == extension::authentication ||
         header == extension::destination || header == extension::mobility;
}

/// Bytes of the extension header that starts at `h`; its length field stands in the second byte.
u32 extension_bytes(u8 header, const std::byte* h) noexcept {
  if (header == extension::fragment) return 8;
  const auto units = std::to_integer<u32>(h[1]);
  return header == extension::authentication ? (units + 2) * 4 : (units + 1) * 8;
}

/// The length of a packet that is larger than the header can say. Hosts make such packets for their
/// own cards, too.
/// · source: RFC 2675 section 2
void take_jumbo(const std::byte* h, u32 length, ip_packet& out) noexcept {
  constexpr u8 pad1 = 0;
  constexpr u8 jumbo_payload = 0xc2;
  for (u32 at = 2; at < length;) {
    const auto type = std::to_integer<u8>(h[at]);
    if (type == pad1) {
      ++at;
      continue;
    }
    if (length - at < 2) return;
    const auto bytes_here = std::to_integer<u32>(h[at + 1]);
    if (bytes_here > length - at - 2) return;
    if (type == jumbo_payload && bytes_here == 4) {
      const auto jumbo = wire::load_be<u32>(h + at + 2);
      if (jumbo > 0xffff && jumbo < out.payload_wire_length) {
        out.payload_wire_length = jumbo; // what is behind it is the link's
        out.payload = out.payload.first(std::min<std::size_t>(out.payload.size(), jumbo));
      }
      return;
    }
    at += 2 + bytes_here;
  }
}

} // namespace

header_state parse_ipv6(const link::network_packet& in, ip_packet& out) noexcept {
  constexpr u32 header_bytes = 40;
  if (in.data.size() < header_bytes)
    return in.wire_length < header_bytes ? header_state::bad : header_state::cut;
  const auto* h = in.data.data();
  if (std::to_integer<u32>(h[0]) >> 4 != 6) return header_state::bad;
  const u32 length = wire::load_be<u16>(h + 4);
  out.length_missing = length == 0;
  out.payload_wire_length = out.length_missing ? in.wire_length - header_bytes : length;
  out.payload = in.data.subspan(
      header_bytes, std::min<std::size_t>(in.data.size() - header_bytes, out.payload_wire_length));
  std::memcpy(out.from.address.data(), h + 8, 16);
  std::memcpy(out.to.address.data(), h + 24, 16);
  out.ttl = std::to_integer<u8>(h[7]);
  out.id = 0;
  out.fragment = out.more_fragments = false;
  out.fragment_offset = 0;
  out.header_bytes = header_bytes;

  auto next = std::to_integer<u8>(h[6]);
  for (int i = 0; is_extension(next); ++i) {
    if (i == extension_headers_max) return header_state::bad;
    constexpr std::size_t extension_bytes_min = 8;
    if (out.payload.size() < extension_bytes_min)
      return out.payload_wire_length < extension_bytes_min ? header_state::bad : header_state::cut;
    const auto* e = out.payload.data();
    const auto bytes_here = extension_bytes(next, e);
    if (bytes_here > out.payload_wire_length) return header_state::bad;
    if (bytes_here > out.payload.size()) return header_state::cut;
    if (next == extension::hop_by_hop && out.length_missing) take_jumbo(e, bytes_here, out);
    if (next == extension::fragment) {
      const u32 offset = wire::load_be<u16>(e + 2);
      out.fragment_offset = offset & 0xfff8;
      out.more_fragments = (offset & 1) != 0;
      // RFC 6946: a fragment that is the whole packet is none.
      out.fragment = out.more_fragments || out.fragment_offset != 0;
      out.id = wire::load_be<u32>(e + 4);
    }
    next = std::to_integer<u8>(e[0]);
    out.payload = out.payload.subspan(bytes_here);
    out.payload_wire_length -= bytes_here;
    out.header_bytes += bytes_here;
    if (out.fragment && out.fragment_offset != 0) break; // what follows is the middle of a datagram
  }
  out.protocol = next;
  return header_state::ok;
}

} // namespace profiler::net
