#pragma once

#include "profiler/link/encapsulation.hpp"
#include "wire/bytes.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace profiler::net {

using wire::u64;

/// What the layer saw and what it could not use. Each frame is counted in exactly one of the first
/// three groups, except fragments, which are in theirs alone. A new counter is a member and a line
/// in `network_counters`.
struct counters {
  u64 frames = 0;
  u64 frame_bytes = 0; ///< on the wire

  u64 tcp_segments = 0;      ///< given to connections, with or without payload; each once
  u64 udp_datagrams = 0;     ///< given to the consumer, reassembled ones included; each once
  u64 duplicated_frames = 0; ///< captured before, up to 10 ms earlier: used for nothing

  // Not analysed:
  u64 unknown_link_type = 0;
  u64 headers_cut = 0;            ///< the snap length ended inside the link, IP, TCP or UDP header
  u64 not_ip = 0;                 ///< ARP, spanning tree, signalling of tunnels, …
  u64 bad_ip = 0;                 ///< header lengths or versions that cannot be
  u64 other_transport = 0;        ///< ICMP, SCTP, …
  u64 bad_transport = 0;          ///< TCP or UDP header lengths that cannot be
  u64 ignored_segments = 0;       ///< of connections that the consumer did not want
  u64 segments_after_end = 0;     ///< of connections that had been closed or reset
  u64 segments_out_of_window = 0; ///< sequence numbers far from what is due
  u64 bad_tunnels = 0;            ///< headers of encapsulations that cannot be
  u64 tunnels_too_deep = 0;       ///< more encapsulations in each other than are taken off
  u64 encrypted_frames = 0;       ///< MACsec, IPsec ESP
  u64 roce_frames = 0;            ///< RDMA over Ethernet, versions 1 and 2
  u64 roce_bytes = 0;             ///< their frames on the wire
  u64 quic_datagrams = 0;         ///< UDP port 443: SMB over QUIC is among them, or is not
  u64 quic_bytes = 0;             ///< their payload

  // What routers and hosts said of packets to or from the services' ports (also in the above):
  u64 icmp_too_big = 0;     ///< fragmentation needed, packet too big
  u64 icmp_unreachable = 0; ///< all other reasons

  // IP fragments:
  u64 fragments = 0;
  u64 fragmented_datagrams = 0; ///< put together
  u64 incomplete_datagrams = 0; ///< given up: too old, or the capture ended
  u64 datagrams_over_limit = 0; ///< given up for memory's sake, or with absurd offsets
  u64 fragments_of_other_transport = 0;

  // Connections:
  u64 connections = 0;
  u64 connections_mid_stream = 0;    ///< their SYN was not seen
  u64 connections_one_direction = 0; ///< of one side not a single segment was captured
  u64 connections_evicted = 0;       ///< for memory's sake
  u64 connections_expired = 0;
  u64 connections_forgotten = 0; ///< ended or ignored ones whose late packets would open a new one
  u64 gaps = 0;
  u64 gap_bytes = 0;
  u64 gaps_by_limit = 0; ///< of the gaps: because too much waited behind the hole, or for too long

  /// Frames that came through each encapsulation.
  std::array<u64, link::encapsulation_count> encapsulated{};
};

struct network_counter {
  u64 counters::*count;
  std::string_view key;          ///< in JSON documents
  std::string_view not_analysed; ///< behind the number, in text; empty: nothing is missing
};

/// Every counter but those of the encapsulations.
inline constexpr std::array network_counters{
    network_counter{&counters::frames, "frames", ""},
    network_counter{&counters::frame_bytes, "frame_bytes", ""},
    network_counter{&counters::tcp_segments, "tcp_segments", ""},
    network_counter{&counters::udp_datagrams, "udp_datagrams", ""},
    network_counter{&counters::unknown_link_type, "unknown_link_type",
                    "frames of a link type that wiretrip does not know"},
    network_counter{&counters::roce_frames, "roce_frames", "RDMA frames (RoCE), not looked into"},
    network_counter{&counters::roce_bytes, "roce_bytes", ""},
    network_counter{&counters::encrypted_frames, "encrypted_frames",
                    "encrypted frames (MACsec, IPsec)"},
    network_counter{&counters::headers_cut, "headers_cut", "frames cut inside their headers"},
    network_counter{&counters::not_ip, "not_ip", "frames that are not IP"},
    network_counter{&counters::bad_ip, "bad_ip", "packets with a damaged IP header"},
    network_counter{&counters::bad_tunnels, "bad_tunnels", "packets with a damaged tunnel header"},
    network_counter{&counters::tunnels_too_deep, "tunnels_too_deep",
                    "packets in more than eight tunnels"},
    network_counter{&counters::other_transport, "other_transport",
                    "IP packets that are neither TCP nor UDP"},
    network_counter{&counters::fragments_of_other_transport, "fragments_of_other_transport",
                    "IP fragments that are neither TCP nor UDP"},
    network_counter{&counters::bad_transport, "bad_transport",
                    "packets with a damaged TCP or UDP header"},
    network_counter{&counters::quic_datagrams, "quic_datagrams",
                    "QUIC datagrams, in which SMB cannot be told from HTTP"},
    network_counter{&counters::quic_bytes, "quic_bytes", ""},
    network_counter{&counters::ignored_segments, "ignored_segments",
                    "TCP segments of other services"},
    network_counter{&counters::segments_after_end, "segments_after_end",
                    "TCP segments of connections that had ended"},
    network_counter{&counters::segments_out_of_window, "segments_out_of_window",
                    "TCP segments far outside their stream"},
    network_counter{&counters::icmp_too_big, "icmp_too_big",
                    "ICMP messages that a packet was too big for the path"},
    network_counter{&counters::icmp_unreachable, "icmp_unreachable",
                    "ICMP messages that a server or client cannot be reached"},
    network_counter{&counters::fragments, "fragments", ""},
    network_counter{&counters::fragmented_datagrams, "fragmented_datagrams", ""},
    network_counter{&counters::incomplete_datagrams, "incomplete_datagrams",
                    "IP datagrams with missing fragments"},
    network_counter{&counters::datagrams_over_limit, "datagrams_over_limit",
                    "IP datagrams given up for memory's sake"},
    network_counter{&counters::connections, "connections", ""},
    network_counter{&counters::connections_mid_stream, "connections_mid_stream", ""},
    network_counter{&counters::connections_one_direction, "connections_one_direction",
                    "connections of which one direction was not captured"},
    network_counter{&counters::connections_evicted, "connections_evicted",
                    "connections given up for memory's sake"},
    network_counter{&counters::connections_expired, "connections_expired", ""},
    network_counter{&counters::connections_forgotten, "connections_forgotten", ""},
    network_counter{&counters::gaps, "gaps", "gaps in TCP streams"},
    network_counter{&counters::gap_bytes, "gap_bytes", ""},
    network_counter{&counters::gaps_by_limit, "gaps_by_limit", ""},
    network_counter{&counters::duplicated_frames, "duplicated_frames",
                    "frames captured twice, used once"},
};
static_assert((network_counters.size() + link::encapsulation_count) * sizeof(u64) ==
              sizeof(counters));

struct named_count {
  std::string_view name; ///< "frames of an unknown link type"
  u64 count;
};

/// Everything above zero that was not analysed, in words, for the coverage line of a report.
[[nodiscard]] std::vector<named_count> not_analysed(const counters& c);

/// The encapsulations that were seen, with the frames that came through them.
[[nodiscard]] std::vector<named_count> encapsulations_of(const counters& c);

} // namespace profiler::net
