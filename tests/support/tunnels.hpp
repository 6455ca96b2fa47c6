#pragma once

#include "tests/support/frame_builder.hpp"

/// What packets are wrapped in on their way, for tests; written from the RFCs and vendors' drafts
/// named at each. Each takes what is inside and gives what stands behind an Ethernet header (with
/// its type), or an IP packet.
namespace support::tunnel {

/// A packet and the Ethernet type that announces it.
struct typed {
  u16 ether_type;
  byte_vector data;
};

/// Ethernet II around it.
inline byte_vector frame(const typed& t, const std::vector<u16>& vlans = {}) {
  return ethernet(t.data, vlans, t.ether_type);
}

/// Not padded, as Ethernet frames are inside tunnels.
inline byte_vector bare_ethernet(bytes ip_packet, const std::vector<u16>& vlans = {}) {
  auto out = ethernet(ip_packet, vlans);
  out.resize(14 + 4 * vlans.size() + ip_packet.size());
  return out;
}

namespace detail {

using support::detail::append;
using support::detail::put_be;

inline byte_vector with_header(byte_vector header, bytes inside) {
  append(header, inside);
  return header;
}

} // namespace detail

/// PPP: 1 or 2 bytes of protocol, then the packet (RFC 1661 section 2).
inline byte_vector ppp(bytes ip_packet, bool compressed = false, bool framed = false) {
  byte_vector out;
  if (framed) detail::put_be<u16>(out, 0xff03);
  const u8 protocol = ether_type_of(ip_packet) == 0x0800 ? 0x21 : 0x57;
  if (!compressed) detail::put_be<u8>(out, 0);
  detail::put_be<u8>(out, protocol);
  return detail::with_header(std::move(out), ip_packet);
}

/// A PPPoE session (RFC 2516 section 4).
inline typed pppoe(bytes ip_packet, u16 session = 0x1234, bool compressed = false) {
  const auto inside = ppp(ip_packet, compressed);
  byte_vector out;
  detail::put_be<u16>(out, 0x1100);
  detail::put_be<u16>(out, session);
  detail::put_be<u16>(out, static_cast<u16>(inside.size()));
  return {0x8864, detail::with_header(std::move(out), inside)};
}

/// A stack of labels (RFC 3032 section 2.1).
inline typed mpls(bytes inside, const std::vector<u32>& labels = {100, 200}) {
  byte_vector out;
  for (std::size_t i = 0; i < labels.size(); ++i)
    detail::put_be<u32>(out, labels[i] << 12 | (i + 1 == labels.size() ? 0x100u : 0u) | 64u);
  return {0x8847, detail::with_header(std::move(out), inside)};
}

/// Ethernet over MPLS with a control word (RFC 4448 section 4.6).
inline typed pseudowire(bytes ethernet_frame, u32 label = 300, bool control_word = true) {
  byte_vector out;
  if (control_word) detail::put_be<u32>(out, 0);
  return mpls(detail::with_header(std::move(out), ethernet_frame), {label});
}

struct gre_fields {
  bool checksum = false;
  std::optional<u32> key{};
  std::optional<u32> sequence{};
  bool routing = false;     ///< RFC 1701: one route, then the end
  std::optional<u32> ack{}; ///< version 1 (RFC 2637)
  u8 version = 0;
};

/// The payload of IP protocol 47 (RFC 2784, RFC 2890).
inline byte_vector gre(u16 type, bytes inside, const gre_fields& f = {}) {
  byte_vector out;
  u16 flags = f.version;
  if (f.checksum) flags |= 0x8000;
  if (f.routing) flags |= 0x4000;
  if (f.key) flags |= 0x2000;
  if (f.sequence) flags |= 0x1000;
  if (f.ack) flags |= 0x0080;
  detail::put_be<u16>(out, flags);
  detail::put_be<u16>(out, type);
  if (f.checksum || f.routing) detail::put_be<u32>(out, 0);
  if (f.key) detail::put_be<u32>(out, *f.key);
  if (f.sequence) detail::put_be<u32>(out, *f.sequence);
  if (f.ack) detail::put_be<u32>(out, *f.ack);
  if (f.routing) {
    detail::put_be<u32>(out, 0x0800'0004); // IPv4, offset 0, four bytes
    detail::put_be<u32>(out, 0xc612'0001);
    detail::put_be<u32>(out, 0);
  }
  return detail::with_header(std::move(out), inside);
}

/// ERSPAN in GRE; type II and III headers (draft-foschiano-erspan).
inline byte_vector erspan_1(bytes ethernet_frame) {
  return gre(0x88be, ethernet_frame);
}
inline byte_vector erspan_2(bytes ethernet_frame, u16 session = 77) {
  byte_vector out;
  detail::put_be<u16>(out, 0x1000 | 9); // version 1, VLAN 9
  detail::put_be<u16>(out, session);
  detail::put_be<u32>(out, 0);
  return gre(0x88be, detail::with_header(std::move(out), ethernet_frame), {.sequence = 5});
}
inline byte_vector erspan_3(bytes ethernet_frame, u16 session = 78, bool platform = false) {
  byte_vector out;
  detail::put_be<u16>(out, 0x2000 | 9);
  detail::put_be<u16>(out, session);
  detail::put_be<u32>(out, 0x01020304); // timestamp
  detail::put_be<u16>(out, 0);
  detail::put_be<u16>(out, platform ? 1 : 0);
  if (platform) detail::put_be<u64>(out, 0x0400'0000'0000'0000);
  return gre(0x22eb, detail::with_header(std::move(out), ethernet_frame), {.sequence = 6});
}

/// The payload of UDP port 4789 (RFC 7348 section 5).
inline byte_vector vxlan(bytes ethernet_frame, u32 vni = 42) {
  byte_vector out;
  detail::put_be<u32>(out, 0x08000000);
  detail::put_be<u32>(out, vni << 8);
  return detail::with_header(std::move(out), ethernet_frame);
}

/// The payload of UDP port 4790: `next` 1 IPv4, 2 IPv6, 3 Ethernet (draft-ietf-nvo3-vxlan-gpe).
inline byte_vector vxlan_gpe(u8 next, bytes inside, u32 vni = 43) {
  byte_vector out;
  detail::put_be<u32>(out, 0x0c000000u | next);
  detail::put_be<u32>(out, vni << 8);
  return detail::with_header(std::move(out), inside);
}

/// The payload of UDP port 6081, with `options` words of options (RFC 8926 section 3.4).
inline byte_vector geneve(bytes ethernet_frame, u32 vni = 44, u8 options = 3) {
  byte_vector out;
  detail::put_be<u8>(out, options);
  detail::put_be<u8>(out, 0);
  detail::put_be<u16>(out, 0x6558);
  detail::put_be<u32>(out, vni << 8);
  for (u8 i = 0; i < options; ++i)
    detail::put_be<u32>(out, i == 0 ? 0x0102'0300u + options - 1 : 0x0800'0800u);
  return detail::with_header(std::move(out), ethernet_frame);
}

/// MACsec without encryption (IEEE 802.1AE section 9), or with.
inline typed macsec(bytes ip_packet, bool encrypted = false, bool channel = true) {
  byte_vector out;
  detail::put_be<u8>(out, static_cast<u8>((channel ? 0x20 : 0x40) | (encrypted ? 0x0c : 0)));
  detail::put_be<u8>(out, 0);
  detail::put_be<u32>(out, 1);
  if (channel) detail::put_be<u64>(out, 0x0200'0000'0001'0001);
  detail::put_be<u16>(out, ether_type_of(ip_packet));
  detail::append(out, ip_packet);
  out.resize(out.size() + 16); // the integrity check value
  return {0x88e5, std::move(out)};
}

/// A tag of four bytes before the Ethernet type: VN-Tag (0x8926) and HSR (0x892f).
inline typed four_byte_tag(u16 ether_type, bytes ip_packet) {
  byte_vector out;
  detail::put_be<u32>(out, 0x0001'0001);
  detail::put_be<u16>(out, ether_type_of(ip_packet));
  return {ether_type, detail::with_header(std::move(out), ip_packet)};
}

/// Cisco FabricPath: tree and TTL, then the frame.
inline typed fabricpath(bytes ethernet_frame, u16 tree = 1) {
  byte_vector out;
  detail::put_be<u16>(out, static_cast<u16>(tree << 6 | 32));
  return {0x8903, detail::with_header(std::move(out), ethernet_frame)};
}

/// Where tunnels begin and end.
inline const endpoint near = v4(192, 0, 2, 1, 49152);
inline const endpoint far = v4(192, 0, 2, 2, 0);

/// An outer IPv4 packet of protocol `number`.
inline byte_vector over_ip(u8 number, bytes inside, const ip_fields& f = {}) {
  return ip(near, far, number, inside, f);
}

/// An outer UDP datagram to `port`.
inline byte_vector over_udp(u16 port, bytes inside, const ip_fields& f = {}) {
  auto to = far;
  to.port = port;
  return udp(near, to, inside, f);
}

/// Linux' NFLOG (LINKTYPE 239): the packet is an attribute between others.
inline byte_vector nflog(bytes ip_packet, bool big_endian = false) {
  using support::detail::put;
  byte_vector out;
  out.push_back(static_cast<std::byte>(ether_type_of(ip_packet) == 0x0800 ? 2 : 10));
  out.push_back(std::byte{0});
  detail::put_be<u16>(out, 1);
  put<u16>(out, 5, big_endian); // prefix: one byte, padded
  put<u16>(out, 10, big_endian);
  detail::put_be<u32>(out, 0);
  put<u16>(out, static_cast<u16>(4 + ip_packet.size()), big_endian);
  put<u16>(out, 9, big_endian);
  detail::append(out, ip_packet);
  return out;
}

struct named_tunnel {
  const char* name;  ///< as reports name it
  u32 network;       ///< ~0: none
  byte_vector frame; ///< an Ethernet frame
};

/// One Ethernet frame around `ip_packet` for each way in which tunnels may bring it.
inline std::vector<named_tunnel> all(bytes ip_packet) {
  constexpr u32 none = ~u32{0};
  const auto inner = bare_ethernet(ip_packet);
  const bool six = ether_type_of(ip_packet) == 0x86dd;
  const auto type = ether_type_of(ip_packet);
  const auto over_gre = [](bytes payload) { return ethernet(over_ip(47, payload)); };
  std::vector<named_tunnel> out{
      {"PPPoE", 0x1234, frame(pppoe(ip_packet))},
      {"PPPoE", 0x1234, frame(pppoe(ip_packet, 0x1234, true))},
      {"MPLS", 200, frame(mpls(ip_packet))},
      {"MPLS", 300, frame(pseudowire(inner))},
      {"MPLS", 300, frame(pseudowire(inner, 300, false))},
      {"MPLS", 200, ethernet(over_udp(6635, mpls(ip_packet).data))},
      {"GRE", none, over_gre(gre(type, ip_packet))},
      {"GRE", 7, over_gre(gre(type, ip_packet, {.checksum = true, .key = 7, .sequence = 1}))},
      {"GRE", none, over_gre(gre(type, ip_packet, {.routing = true}))},
      {"GRE", 7, over_gre(gre(0x6558, inner, {.key = 7}))},
      {"GRE", 5,
       over_gre(gre(0x880b, ppp(ip_packet, true, true),
                    {.key = 0x0040'0005, .sequence = 1, .ack = 2, .version = 1}))},
      {"ERSPAN", none, over_gre(erspan_1(inner))},
      {"ERSPAN", 77, over_gre(erspan_2(inner))},
      {"ERSPAN", 78, over_gre(erspan_3(inner))},
      {"ERSPAN", 78, over_gre(erspan_3(inner, 78, true))},
      {"VXLAN", 42, ethernet(over_udp(4789, vxlan(inner)))},
      {"VXLAN", 42, ethernet(over_udp(8472, vxlan(inner)))},
      {"VXLAN-GPE", 43, ethernet(over_udp(4790, vxlan_gpe(3, inner)))},
      {"VXLAN-GPE", 43, ethernet(over_udp(4790, vxlan_gpe(six ? 2 : 1, ip_packet)))},
      {"GENEVE", 44, ethernet(over_udp(6081, geneve(inner)))},
      {"GENEVE", 44, ethernet(over_udp(6081, geneve(inner, 44, 0)))},
      {six ? "IPv6-in-IP" : "IP-in-IP", none, ethernet(over_ip(six ? 41 : 4, ip_packet))},
      {"MACsec", none, frame(macsec(ip_packet))},
      {"MACsec", none, frame(macsec(ip_packet, false, false))},
      {"VN-Tag", none, frame(four_byte_tag(0x8926, ip_packet))},
      {"HSR", none, frame(four_byte_tag(0x892f, ip_packet))},
      {"FabricPath", 1, frame(fabricpath(inner))},
  };
  return out;
}

} // namespace support::tunnel
