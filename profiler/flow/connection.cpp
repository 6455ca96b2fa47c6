#include "profiler/flow/connection.hpp"

#include <algorithm>

namespace profiler::flow {

u32 connection_list::add(connection c) {
  if (list_.size() < connections_max) {
    list_.push_back(std::move(c));
  } else {
    ++not_listed_;
    list_.back().seen.merge(c.seen);
  }
  return static_cast<u32>(list_.size() - 1);
}

void connection_list::close(u32 number) {
  auto& c = list_[number];
  if (c.live == nullptr) return;
  c.facts = *c.live;
  c.live = nullptr;
}

nanos connection_list::network_of(const wire::exchange& e) const {
  // A callback goes the other way: the round trip to the server says nothing of it.
  if (e.connection >= list_.size() || e.proto == wire::protocol::nfs4_cb) return wire::unknown_time;
  const auto& facts = list_[e.connection].tcp();
  if (!list_[e.connection].key.tcp || facts.rtt_from == net::rtt_source::none)
    return wire::unknown_time;
  const auto through_line = [&](direction d, u32 length) {
    return facts.kib_time[net::index_of(d)] * static_cast<wire::i64>(length) / 1024;
  };
  auto way = facts.server_side_rtt;
  if (known(e.t.q0) && known(e.t.q1))
    way +=
        std::max(through_line(direction::to_server, e.request_bytes) - (e.t.q1 - e.t.q0), nanos{0});
  const auto first_segment = std::min(e.reply_bytes, facts.largest_segment);
  return way + through_line(direction::to_client, first_segment);
}

} // namespace profiler::flow
