#pragma once

#include "wire/bytes.hpp"

namespace profiler::net {

/// Every bound of the layer, so that memory does not grow with the capture. What a bound cost is
/// counted (counters.hpp).
struct limits {
  /// Connections that are followed at once; the one that was silent longest makes room. A quiet one
  /// takes 1 to 4 KiB with all that stands above it, by how many calls it has carried.
  std::size_t connections = 16384;
  /// Connections that ended, or that nobody is interested in, whose packets are known as such.
  std::size_t connections_aside = 65536;
  /// A connection without a packet for this long is over. NFS mounts are silent for hours.
  wire::nanos connection_idle = std::chrono::hours(24);

  /// Bytes kept behind holes, waiting for what is missing: of one direction, and of all.
  std::size_t stream_bytes = 4 * 1024 * 1024;
  std::size_t stream_segments = 4096;
  std::size_t all_streams_bytes = 16 * 1024 * 1024;
  /// When only one direction was captured nobody acknowledges: a hole is given up after this.
  wire::nanos one_way_hole = std::chrono::seconds(2);

  /// IP datagrams that are being put together (RFC 1122 section 3.3.2: 60 to 120 s; Linux: 30 s).
  std::size_t datagrams = 256;
  std::size_t datagrams_bytes = 4 * 1024 * 1024;
  std::size_t fragments_per_datagram = 256;
  wire::nanos datagram_age = std::chrono::seconds(30);
};

} // namespace profiler::net
