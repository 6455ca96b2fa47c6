#include "profiler/net/dispatcher.hpp"

#include <algorithm>

namespace profiler::net {

dispatcher::dispatcher(transport_consumer& to, const limits& l)
    : to_(to), fragments_(l, counters_), tcp_(to, l, counters_) {}

void dispatcher::packet(const profiler::packet& p) {
  const u32 wire_length = std::max(p.wire_length, static_cast<u32>(p.data.size()));
  ++counters_.frames;
  counters_.frame_bytes += wire_length;
  last_ = p.at;
  if (layer_ == nullptr || layer_->link_type != p.link_type) layer_ = link::find(p.link_type);
  if (layer_ == nullptr) {
    ++counters_.unknown_link_type;
    return;
  }
  const auto network = layer_->strip(p.data, wire_length);
  if (!network) {
    ++counters_.headers_cut;
    return;
  }
  ip_packet ip;
  if (refuse(parse_ip(*network, ip), counters_.bad_ip)) return;
  if (!ip.fragment) return transport(ip, ip.payload, ip.payload_wire_length, p.at, p.at);

  if (ip.protocol != ip_protocol::udp && ip.protocol != ip_protocol::tcp) {
    ++counters_.fragments_of_other_transport;
    return;
  }
  if (const auto whole = fragments_.add(ip, p.at))
    transport(ip, whole->data, whole->wire_length, whole->first, whole->last);
}

void dispatcher::finish() {
  fragments_.finish();
  tcp_.finish(last_);
}

void dispatcher::transport(const ip_packet& ip, bytes payload, u32 wire_length, stamp first,
                           stamp last) {
  if (ip.protocol == ip_protocol::tcp) return tcp(ip, payload, wire_length, last);
  if (ip.protocol == ip_protocol::udp) return udp(ip, payload, wire_length, first, last);
  ++counters_.other_transport;
}

void dispatcher::tcp(const ip_packet& ip, bytes payload, u32 wire_length, stamp at) {
  tcp_segment s;
  if (refuse(parse_tcp(payload, wire_length, s), counters_.bad_transport)) return;
  endpoint from = ip.from;
  endpoint to = ip.to;
  from.port = s.source_port;
  to.port = s.destination_port;
  tcp_.segment(from, to, s,
               {.ip_id = ip.id,
                .ttl = ip.ttl,
                .ip_bytes = ip.header_bytes + wire_length,
                .ip_header_bytes = ip.header_bytes,
                .length_missing = ip.length_missing},
               at);
}

void dispatcher::udp(const ip_packet& ip, bytes payload, u32 wire_length, stamp first, stamp last) {
  udp_datagram d;
  if (refuse(parse_udp(payload, wire_length, d), counters_.bad_transport)) return;
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
