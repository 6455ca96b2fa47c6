#include "profiler/net/counters.hpp"

namespace profiler::net {

std::vector<named_count> not_analysed(const counters& c) {
  std::vector<named_count> out;
  for (const auto& n : network_counters)
    if (!n.not_analysed.empty() && c.*n.count > 0) out.push_back({n.not_analysed, c.*n.count});
  return out;
}

std::vector<named_count> encapsulations_of(const counters& c) {
  std::vector<named_count> out;
  for (std::size_t i = 0; i < c.encapsulated.size(); ++i)
    if (c.encapsulated[i] > 0) out.push_back({link::encapsulation_names[i], c.encapsulated[i]});
  return out;
}

} // namespace profiler::net
