#include "bench/workloads/both_eyes.hpp"

#include <algorithm>
#include <tuple>

namespace bench {

namespace {

using wire::u16;
using wire::u64;

using join_key = std::tuple<wire::protocol, u16, u64>; ///< protocol, client's port, id

/// A capture names the connection, the client its port. 0: not a connection of ours.
u16 client_port(const profiler::result& analysis, wire::u32 connection) {
  return connection < analysis.connections.size() ? analysis.connections[connection].key.client.port
                                                  : u16{0};
}

} // namespace

both_eyes::both_eyes(const std::vector<std::vector<phase_record>>& repeats) {
  for (const auto& phases : repeats) {
    for (const auto& phase : phases) {
      auto& mine = phases_.emplace_back();
      mine.begin_unix = phase.begin_unix;
      mine.end_unix = phase.end_unix;
    }
  }
}

void both_eyes::on_exchange(const wire::exchange& e) {
  if (!e.timed()) return;
  seen_.push_back(
      {.id = e.id, .connection = e.connection, .proto = e.proto, .latency = e.latency()});
  const auto behind = std::find_if(phases_.begin(), phases_.end(), [&](const wire_phase& phase) {
    return e.t.q0 <= phase.end_unix;
  });
  if (behind == phases_.end() || e.t.q0 < behind->begin_unix) return;
  behind->operations.on_exchange(e);
  behind->wall.on_exchange(e);
}

agreement both_eyes::join(const std::vector<client_request>& requests,
                          const profiler::result& analysis) {
  for (auto& phase : phases_)
    phase.wall.finish();

  std::vector<std::pair<join_key, wire::nanos>> on_wire;
  on_wire.reserve(seen_.size());
  for (const auto& s : seen_)
    on_wire.emplace_back(join_key(s.proto, client_port(analysis, s.connection), s.id), s.latency);
  std::sort(on_wire.begin(), on_wire.end());

  agreement out;
  out.requests = requests.size();
  for (const auto& request : requests) {
    const join_key key(request.proto, request.local_port, request.id);
    const auto found =
        std::lower_bound(on_wire.begin(), on_wire.end(), key,
                         [](const auto& row, const auto& k) { return row.first < k; });
    if (found == on_wire.end() || found->first != key) continue;
    ++out.joined;
    const auto difference = (request.latency - found->second).count();
    if (difference >= 0) ++out.at_least_wire;
    out.differences_ns.push_back(difference);
  }
  std::sort(out.differences_ns.begin(), out.differences_ns.end());
  return out;
}

} // namespace bench
