#include "profiler/capture/summary.hpp"

#include "profiler/capture/pcapng_blocks.hpp"

#include <algorithm>

namespace profiler::capture {

std::string secrets_name(u32 type) {
  switch (type) {
  case 0x544c534b:
    return "TLS key log";
  case 0x5353484b:
    return "SSH key log";
  case 0x57474b4c:
    return "WireGuard key log";
  case 0x5a4e574b:
    return "Zigbee network key";
  case 0x5a415053:
    return "Zigbee application keys";
  case 0x55414b4c:
    return "OPC UA key log";
  default:
    return "secrets of type " + hex_of(type);
  }
}

u64 capture_summary::dropped() const noexcept {
  u64 sum = 0;
  for (const auto& i : interfaces)
    sum += i.dropped();
  return sum;
}

std::vector<u32> capture_summary::link_types() const {
  std::vector<u32> out;
  for (const auto& i : interfaces)
    if (i.packets > 0 && std::find(out.begin(), out.end(), i.link_type) == out.end())
      out.push_back(i.link_type);
  return out;
}

u32 capture_summary::snap_length() const {
  u32 shortest = 0;
  for (const auto& i : interfaces)
    if (i.snap_length != 0 && (shortest == 0 || i.snap_length < shortest)) shortest = i.snap_length;
  return shortest;
}

} // namespace profiler::capture
