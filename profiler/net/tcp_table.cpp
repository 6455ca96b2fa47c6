#include "profiler/net/tcp_table.hpp"

namespace profiler::net {

namespace {

/// How many of the connections that were silent longest give up what waits behind their holes when
/// memory runs short.
constexpr int memory_donors = 64;
constexpr nanos expiry_interval = std::chrono::seconds(1);

} // namespace

void tcp_table::segment(const endpoint& from, const endpoint& to, const tcp_segment& s,
                        const segment_envelope& e, const stamp& at) {
  const auto flow = flow_of(from, to);
  auto slot = followed_.find(flow.id);
  const bool news = brings_news(flow, slot, s);
  if (!news && is_duplicate(slot, e.print, at.time)) return;
  if (slot == followed_.none) {
    if (known_aside(flow, s)) return;
    slot = open(flow, from, to, s, at);
    if (slot == followed_.none) return;
  } else if (s.has(tcp_flag::syn)) {
    const auto& x = followed_[slot];
    const auto d = direction_of(flow, x);
    const auto& isn = x.isn[index_of(d)];
    if (isn ? *isn != s.seq : !x.connection->can_start_at(d, s.seq + 1)) {
      close(slot, at);
      slot = open(flow, from, to, s, at);
      if (slot == followed_.none) return;
    }
  }
  followed_.touch(slot);
  auto& x = followed_[slot];
  x.last = at;
  const auto d = direction_of(flow, x);
  if (s.has(tcp_flag::syn)) x.isn[index_of(d)] = s.seq;
  ++counters_.tcp_segments;
  x.connection->segment(d, s, e, at);
  if (news) duplicates_.remember(e.print, at.time);
  if (x.connection->ended()) {
    put_aside(flow.id, {true, x.client_is_first, x.isn});
    followed_.erase(slot);
  }
  if (held_bytes_ > limits_.all_streams_bytes / 2) free_memory(at);
  if (at.time >= next_expiry_) expire(at);
}

/// Most segments do, and such a one was not captured before: nobody has to wait for the table that
/// knows it.
bool tcp_table::brings_news(const oriented_flow& flow, u32 slot, const tcp_segment& s) noexcept {
  if (slot == followed_.none) return false;
  const auto& x = followed_[slot];
  return x.connection->brings_news(direction_of(flow, x), s);
}

/// True when the segment was captured before; it is counted then.
bool tcp_table::is_duplicate(u32 slot, const packet_print& print, nanos at) noexcept {
  if (!duplicates_.seen(print, at)) return false;
  ++counters_.duplicated_frames;
  if (slot != followed_.none) followed_[slot].connection->duplicate();
  return true;
}

void tcp_table::finish(stamp at) {
  while (followed_.size() > 0)
    close(followed_.oldest(), at);
}

/// True when the segment belongs to a flow that was put aside; it is counted then.
bool tcp_table::known_aside(const oriented_flow& flow, const tcp_segment& s) {
  const auto slot = aside_.find(flow.id);
  if (slot == aside_.none) return false;
  auto& x = aside_[slot];
  if (s.has(tcp_flag::syn)) {
    auto& isn = x.isn[index_of(direction_of(flow, x))];
    if (isn ? *isn != s.seq : x.ended) {
      aside_.erase(slot);
      return false;
    }
    isn = s.seq;
  }
  aside_.touch(slot);
  ++(x.ended ? counters_.segments_after_end : counters_.ignored_segments);
  return true;
}

/// `none` when nobody is interested in the connection.
u32 tcp_table::open(const oriented_flow& flow, const endpoint& from, const endpoint& to,
                    const tcp_segment& s, stamp at) {
  const bool syn = s.has(tcp_flag::syn);
  const bool from_client = syn ? !s.has(tcp_flag::ack) : is_client_by_port(from, to);
  const flow_key key{from_client ? from : to, from_client ? to : from, true};
  auto connection = std::make_unique<tcp_connection>(limits_, held_bytes_, counters_);
  ++counters_.connections;
  if (!syn) ++counters_.connections_mid_stream;
  auto consumer = to_.open(key, connection->facts(), !syn, at);
  if (!consumer) {
    aside x{false, from_client == flow.from_first, {}};
    if (syn) x.isn[from_client ? 0 : 1] = s.seq;
    put_aside(flow.id, x);
    ++counters_.ignored_segments;
    return followed_.none;
  }
  connection->attach(std::move(consumer));
  if (followed_.size() >= limits_.connections) {
    ++counters_.connections_evicted;
    close(followed_.oldest(), at);
  }
  const auto slot = followed_.insert(flow.id);
  auto& x = followed_[slot];
  x.client_is_first = from_client == flow.from_first;
  x.connection = std::move(connection);
  return slot;
}

void tcp_table::put_aside(const flow_id& id, const aside& x) {
  if (aside_.size() >= limits_.connections_aside) {
    ++counters_.connections_forgotten;
    aside_.erase(aside_.oldest());
  }
  aside_[aside_.insert(id)] = x;
}

void tcp_table::close(u32 slot, stamp at) {
  followed_[slot].connection->end(at);
  followed_.erase(slot);
}

void tcp_table::expire(stamp at) {
  next_expiry_ = at.time + expiry_interval;
  while (followed_.size() > 0) {
    const auto oldest = followed_.oldest();
    if (at.time - followed_[oldest].last.time <= limits_.connection_idle) return;
    ++counters_.connections_expired;
    close(oldest, at);
  }
}

/// Half of the memory is used up: those that were silent longest will hardly fill their holes. A
/// stream that goes on is bounded by its own limit and by the other half.
void tcp_table::free_memory(stamp at) {
  const auto gaps = counters_.gaps;
  auto slot = followed_.oldest();
  for (int i = 0; i < memory_donors && slot != followed_.none; ++i) {
    const auto next = followed_.newer(slot);
    if (next != followed_.none) followed_[slot].connection->release(at);
    slot = next;
  }
  counters_.gaps_by_limit += counters_.gaps - gaps;
}

} // namespace profiler::net
