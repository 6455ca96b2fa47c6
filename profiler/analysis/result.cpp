#include "profiler/analysis/result.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace profiler {

namespace {

void merge_capture(capture_facts& a, const capture_facts& b) {
  if (b.packets > 0) {
    a.first = a.packets == 0 ? b.first : std::min(a.first, b.first);
    a.last = a.packets == 0 ? b.last : std::max(a.last, b.last);
  }
  a.files.insert(a.files.end(), b.files.begin(), b.files.end());
  a.packets += b.packets;
  a.wire_bytes += b.wire_bytes;
  a.cut_packets += b.cut_packets;
  a.dropped += b.dropped;
  a.time_steps_back += b.time_steps_back;
  a.filtered_out += b.filtered_out;
  a.details.merge(b.details);
  for (const auto type : b.link_types)
    if (std::find(a.link_types.begin(), a.link_types.end(), type) == a.link_types.end())
      a.link_types.push_back(type);
}

/// All of them are counts of the same type.
net::counters sum(const net::counters& a, const net::counters& b) {
  using counts = std::array<wire::u64, sizeof(net::counters) / sizeof(wire::u64)>;
  auto total = std::bit_cast<counts>(a);
  const auto more = std::bit_cast<counts>(b);
  for (std::size_t i = 0; i < total.size(); ++i)
    total[i] += more[i];
  return std::bit_cast<net::counters>(total);
}

} // namespace

void result::merge(const result& other) {
  merge_capture(capture, other.capture);
  seen.merge(other.seen);
  smb.merge(other.smb);
  network = sum(network, other.network);
  connections.insert(connections.end(), other.connections.begin(), other.connections.end());
  connections_not_listed += other.connections_not_listed;
  operations.merge(other.operations);
  files.merge(other.files);
  wall.merge(other.wall);
  slowest.insert(slowest.end(), other.slowest.begin(), other.slowest.end());
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const slow_file& a, const slow_file& b) { return a.seconds > b.seconds; });
  slowest.resize(std::min(slowest.size(), analysis::file_table::slowest_max));
  warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
}

} // namespace profiler
