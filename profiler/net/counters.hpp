#pragma once

#include "wire/bytes.hpp"

#include <string_view>
#include <vector>

namespace profiler::net {

using wire::u64;

/// What the layer saw and what it could not use. Each frame is counted in exactly one of the first
/// three groups, except fragments, which are in theirs alone.
struct counters {
  u64 frames = 0;
  u64 frame_bytes = 0; ///< on the wire

  u64 tcp_segments = 0;  ///< given to connections, with or without payload
  u64 udp_datagrams = 0; ///< given to the consumer, reassembled ones included

  // Not analysed:
  u64 unknown_link_type = 0;
  u64 headers_cut = 0;            ///< the snap length ended inside the link, IP, TCP or UDP header
  u64 not_ip = 0;                 ///< ARP, spanning tree, …
  u64 bad_ip = 0;                 ///< header lengths or versions that cannot be
  u64 other_transport = 0;        ///< ICMP, GRE, …
  u64 bad_transport = 0;          ///< TCP or UDP header lengths that cannot be
  u64 ignored_segments = 0;       ///< of connections that the consumer did not want
  u64 segments_after_end = 0;     ///< of connections that had been closed or reset
  u64 segments_out_of_window = 0; ///< sequence numbers more than 1 GiB off

  // IP fragments:
  u64 fragments = 0;
  u64 fragmented_datagrams = 0; ///< put together
  u64 incomplete_datagrams = 0; ///< given up: too old, or the capture ended
  u64 datagrams_over_limit = 0; ///< given up for memory's sake, or with absurd offsets
  u64 fragments_of_other_transport = 0;

  // Connections:
  u64 connections = 0;
  u64 connections_mid_stream = 0; ///< their SYN was not seen
  u64 connections_evicted = 0;    ///< for memory's sake
  u64 connections_expired = 0;
  u64 gaps = 0;
  u64 gap_bytes = 0;
  u64 gaps_by_limit = 0; ///< of the gaps: because too much waited behind the hole, or for too long
};

struct named_count {
  std::string_view name; ///< "frames of an unknown link type"
  u64 count;
};

/// Everything above zero that was not analysed, in words, for the coverage line of a report.
[[nodiscard]] std::vector<named_count> not_analysed(const counters& c);

} // namespace profiler::net
