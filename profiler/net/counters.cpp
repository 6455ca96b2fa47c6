#include "profiler/net/counters.hpp"

#include <algorithm>

namespace profiler::net {

std::vector<named_count> not_analysed(const counters& c) {
  std::vector<named_count> out{
      {"frames of a link type that wiretrip does not know", c.unknown_link_type},
      {"frames cut inside their headers", c.headers_cut},
      {"frames that are not IP", c.not_ip},
      {"packets with a damaged IP header", c.bad_ip},
      {"IP packets that are neither TCP nor UDP",
       c.other_transport + c.fragments_of_other_transport},
      {"packets with a damaged TCP or UDP header", c.bad_transport},
      {"TCP segments of other services", c.ignored_segments},
      {"TCP segments of connections that had ended", c.segments_after_end},
      {"TCP segments far outside their stream", c.segments_out_of_window},
      {"IP datagrams with missing fragments", c.incomplete_datagrams},
      {"IP datagrams given up for memory's sake", c.datagrams_over_limit},
      {"connections given up for memory's sake", c.connections_evicted},
      {"gaps in TCP streams", c.gaps},
  };
  std::erase_if(out, [](const named_count& n) { return n.count == 0; });
  return out;
}

} // namespace profiler::net
