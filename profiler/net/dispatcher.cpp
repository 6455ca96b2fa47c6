#include "profiler/net/dispatcher.hpp"

#include "profiler/net/icmp.hpp"

#include <algorithm>

namespace profiler::net {

dispatcher::dispatcher(transport_consumer& to, const limits& l)
    : to_(to), fragments_(l, counters_), tcp_(to, l, duplicates_, counters_) {}

namespace {

/// Of most files the next packet stands behind this one: its headers are on their way while this
/// one is looked at. What lies behind the end of the file is never touched.
void prefetch_behind(bytes frame) noexcept {
  constexpr std::uintptr_t cache_line = 64;
  const auto end = reinterpret_cast<std::uintptr_t>(frame.data()) + frame.size();
  for (std::uintptr_t line = 0; line < 3; ++line)
    __builtin_prefetch(reinterpret_cast<const void*>(end + line * cache_line));
}

} // namespace

void dispatcher::packet(const profiler::packet& p) {
  prefetch_behind(p.data);
  const u32 wire_length = std::max(p.wire_length, static_cast<u32>(p.data.size()));
  ++counters_.frames;
  counters_.frame_bytes += wire_length;
  last_ = p.at;
  if (layer_ == nullptr || layer_->link_type != p.link_type) layer_ = link::find(p.link_type);
  if (layer_ == nullptr) {
    ++counters_.unknown_link_type;
    return;
  }
  wrapping_.clear();
  tunnels_ = 0;
  const auto stripped = layer_->strip(p.data, wire_length);
  if (!stripped) {
    ++counters_.headers_cut;
    return;
  }
  network(*stripped, p.at);
}

void dispatcher::finish() {
  fragments_.finish();
  tcp_.finish(last_);
}

void dispatcher::network(const link::network_packet& n, const stamp& at) {
  if (n.tags != 0) {
    wrapping_.add(link::encapsulation::vlan, n.vlan);
    ++counters_.encapsulated[static_cast<std::size_t>(link::encapsulation::vlan)];
  }
  ip_packet ip;
  const auto state = parse_ip(n, ip);
  if (state == header_state::foreign) return not_ip(n, at);
  if (refuse(state, counters_.bad_ip)) return;
  if (ip.fragment) return fragment(ip, at);
  transport(ip, ip.payload, ip.payload_wire_length, at, at);
}

void dispatcher::not_ip(const link::network_packet& n, stamp at) {
  constexpr u16 roce = 0x8915;
  if (n.protocol == roce) {
    ++counters_.roce_frames;
    counters_.roce_bytes += n.wire_length;
  } else if (!open_tunnel(link::unwrap_by_ether_type(n.protocol), {n.data, n.wire_length}, at)) {
    ++counters_.not_ip;
  }
}

void dispatcher::fragment(const ip_packet& ip, stamp at) {
  if (is_duplicate(print_of_fragment(ip), at)) return;
  const bool tunnel = link::unwrap_by_ip_protocol(ip.protocol) != nullptr;
  if (ip.protocol != ip_protocol::udp && ip.protocol != ip_protocol::tcp && !tunnel) {
    ++counters_.fragments_of_other_transport;
    return;
  }
  if (const auto whole = fragments_.add(ip, at))
    transport(ip, whole->data, whole->wire_length, whole->first, whole->last);
}

void dispatcher::transport(const ip_packet& ip, bytes payload, u32 wire_length, const stamp& first,
                           const stamp& last) {
  if (ip.protocol == ip_protocol::tcp) return tcp(ip, payload, wire_length, last);
  if (ip.protocol == ip_protocol::udp) return udp(ip, payload, wire_length, first, last);
  other(ip, payload, wire_length, last);
}

void dispatcher::tcp(const ip_packet& ip, bytes payload, u32 wire_length, const stamp& at) {
  tcp_segment s;
  if (refuse(parse_tcp(payload, wire_length, s), counters_.bad_transport)) return;
  const auto print = print_of(ip, s);
  duplicates_.prefetch(print);
  endpoint from = ip.from;
  endpoint to = ip.to;
  from.port = s.source_port;
  to.port = s.destination_port;
  tcp_.segment(from, to, s,
               {.ttl = ip.ttl,
                .ip_bytes = ip.header_bytes + wire_length,
                .ip_header_bytes = ip.header_bytes,
                .length_missing = ip.length_missing,
                .print = print,
                .wrapped = wrapping_.empty() ? nullptr : &wrapping_},
               at);
}

void dispatcher::udp(const ip_packet& ip, bytes payload, u32 wire_length, stamp first, stamp last) {
  udp_datagram d;
  if (refuse(parse_udp(payload, wire_length, d), counters_.bad_transport)) return;
  // A client's port may happen to be a tunnel's.
  if (const auto unwrap = link::unwrap_by_udp_port(d.destination_port);
      unwrap != nullptr && !is_service_port(d.source_port) &&
      open_tunnel(unwrap, {d.payload, d.payload_wire_length}, last))
    return;
  if (is_rdma_or_quic(ip, d) || is_duplicate(print_of(ip, d), last)) return;
  ++counters_.udp_datagrams;
  endpoint from = ip.from;
  endpoint to = ip.to;
  from.port = d.source_port;
  to.port = d.destination_port;
  const bool to_server = is_client_by_port(from, to);
  const flow_key key{to_server ? from : to, to_server ? to : from, false};
  const auto way = to_server ? direction::to_server : direction::to_client;
  if (ip.fragment)
    to_.fragmented_datagram(key, way, d.payload, d.payload_wire_length, first, last);
  else
    to_.datagram(key, way, d.payload, d.payload_wire_length, last);
}

void dispatcher::other(const ip_packet& ip, bytes payload, u32 wire_length, stamp at) {
  if (open_tunnel(link::unwrap_by_ip_protocol(ip.protocol), {payload, wire_length}, at)) return;
  ++counters_.other_transport;
  if (ip.protocol != ip_protocol::icmp && ip.protocol != ip_protocol::icmp_v6) return;
  const auto report = read_icmp(ip);
  if (report == icmp_report::too_big) ++counters_.icmp_too_big;
  if (report == icmp_report::unreachable) ++counters_.icmp_unreachable;
}

/// Goes on with what is in the tunnel; false when there is none, and nothing was counted.
bool dispatcher::open_tunnel(link::unwrap_function unwrap, link::packet_part outer, stamp at) {
  if (unwrap == nullptr) return false;
  const auto in = unwrap(outer);
  using state = link::unwrapped::state;
  switch (in.is) {
  case state::foreign:
    return false;
  case state::cut:
    ++counters_.headers_cut;
    return true;
  case state::bad:
    ++counters_.bad_tunnels;
    return true;
  case state::control:
    ++counters_.not_ip;
    return true;
  case state::encrypted:
    ++counters_.encrypted_frames;
    return true;
  case state::packet:
    break;
  }
  if (tunnels_ == tunnels_max) {
    ++counters_.tunnels_too_deep;
    return true;
  }
  ++tunnels_;
  ++counters_.encapsulated[static_cast<std::size_t>(in.kind)];
  wrapping_.add(in.kind, in.network);
  network(in.packet, at);
  return true;
}

/// Recognised, counted, and not looked into.
bool dispatcher::is_rdma_or_quic(const ip_packet& ip, const udp_datagram& d) noexcept {
  constexpr u16 roce_port = 4791;
  constexpr u16 quic_port = 443;
  if (d.destination_port == roce_port && !is_service_port(d.source_port)) {
    ++counters_.roce_frames;
    counters_.roce_bytes += ip.header_bytes + ip.payload_wire_length;
    return true;
  }
  if (d.destination_port != quic_port && d.source_port != quic_port) return false;
  // Both of QUIC's headers have this bit (RFC 9000 section 17).
  constexpr std::byte fixed_bit{0x40};
  if (d.payload.empty() || (d.payload[0] & fixed_bit) == std::byte{0}) return false;
  ++counters_.quic_datagrams;
  counters_.quic_bytes += d.payload_wire_length;
  return true;
}

bool dispatcher::is_duplicate(const packet_print& print, stamp at) noexcept {
  if (!duplicates_.seen(print, at.time)) return false;
  ++counters_.duplicated_frames;
  return true;
}

/// True when there is nothing to go on with, which is then counted.
bool dispatcher::refuse(header_state state, u64& bad) noexcept {
  switch (state) {
  case header_state::ok:
    return false;
  case header_state::cut:
    ++counters_.headers_cut;
    break;
  case header_state::bad:
    ++bad;
    break;
  case header_state::foreign:
    ++counters_.not_ip;
    break;
  }
  return true;
}

} // namespace profiler::net
