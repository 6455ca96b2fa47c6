#include "profiler/net/fragments.hpp"

#include <algorithm>

namespace profiler::net {

namespace {

constexpr u32 datagram_bytes_max = 65535;

} // namespace

u64 fragment_table::key_hash::operator()(const key& k) const noexcept {
  u64 h = u64{k.id} << 8 | k.protocol;
  for (const auto* e : {&k.from, &k.to})
    for (const std::size_t at : {0u, 8u}) {
      const auto word = wire::load_le<u64>(std::as_bytes(std::span(e->address)).subspan(at).data());
      h = (h ^ word) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
  return h * 0xD6E8FEB86659FD93u;
}

std::optional<whole_datagram> fragment_table::add(const ip_packet& fragment, stamp at) {
  ++counters_.fragments;
  const u32 begin = fragment.fragment_offset;
  const u32 length = fragment.payload_wire_length;
  if (length == 0 || length > datagram_bytes_max - std::min(begin, datagram_bytes_max)) {
    ++counters_.datagrams_over_limit;
    return std::nullopt;
  }
  make_room(at.time);
  const key k{fragment.from, fragment.to, fragment.id, fragment.protocol};
  auto slot = entries_.find(k);
  // The same identification long after is another datagram's.
  if (slot != entries_.none && at.time - entries_[slot].first.time > limits_.datagram_age) {
    drop(slot, counters_.incomplete_datagrams);
    slot = entries_.none;
  }
  if (slot == entries_.none) {
    if (entries_.size() >= limits_.datagrams)
      drop(entries_.oldest(), counters_.datagrams_over_limit);
    slot = entries_.insert(k);
    entries_[slot].first = entries_[slot].last = at;
  }
  auto& e = entries_[slot];
  if (at.time < e.first.time) e.first = at;
  if (at.time >= e.last.time) e.last = at;
  if (!store(e, fragment)) {
    drop(slot, counters_.datagrams_over_limit);
    return std::nullopt;
  }
  if (!complete(e)) return std::nullopt;
  ++counters_.fragmented_datagrams;
  bytes_ -= e.data.size();
  auto whole = take(e);
  entries_.erase(slot);
  return whole;
}

void fragment_table::finish() {
  while (entries_.size() > 0)
    drop(entries_.oldest(), counters_.incomplete_datagrams);
}

void fragment_table::drop(u32 slot, u64& counter) {
  bytes_ -= entries_[slot].data.size();
  entries_.erase(slot);
  ++counter;
}

void fragment_table::make_room(nanos now) {
  while (entries_.size() > 0) {
    const auto oldest = entries_.oldest();
    const bool too_old = now - entries_[oldest].first.time > limits_.datagram_age;
    if (!too_old && bytes_ < limits_.datagrams_bytes) return;
    drop(oldest, too_old ? counters_.incomplete_datagrams : counters_.datagrams_over_limit);
  }
}

/// False when the entry has become too much.
bool fragment_table::store(entry& e, const ip_packet& fragment) {
  const u32 begin = fragment.fragment_offset;
  const u32 end = begin + fragment.payload_wire_length;
  if (!fragment.more_fragments && !e.length) e.length = end;
  u32 at = begin;
  // Bytes that an earlier fragment has already brought stay as they are.
  for (const auto& p : std::vector<piece>(e.pieces)) {
    if (p.begin >= end) break;
    if (p.begin > at) fill(e, at, p.begin, fragment);
    at = std::max(at, p.end);
  }
  if (at < end) fill(e, at, end, fragment);
  std::sort(e.pieces.begin(), e.pieces.end(),
            [](const piece& a, const piece& b) { return a.begin < b.begin; });
  return e.pieces.size() <= limits_.fragments_per_datagram;
}

void fragment_table::fill(entry& e, u32 begin, u32 end, const ip_packet& fragment) {
  const u32 skip = begin - fragment.fragment_offset;
  const auto have = static_cast<u32>(fragment.payload.size());
  const u32 captured = std::min(end, begin + (have > skip ? have - skip : 0));
  e.pieces.push_back({begin, end, captured});
  if (captured == begin) return;
  if (e.data.size() < captured) {
    bytes_ += captured - e.data.size();
    e.data.resize(captured);
  }
  std::copy_n(fragment.payload.begin() + skip, captured - begin, e.data.begin() + begin);
}

bool fragment_table::complete(const entry& e) noexcept {
  if (!e.length) return false;
  u32 reached = 0;
  for (const auto& p : e.pieces) {
    if (p.begin > reached) return false;
    reached = std::max(reached, p.end);
  }
  return reached >= *e.length;
}

whole_datagram fragment_table::take(entry& e) {
  u32 captured = 0;
  for (const auto& p : e.pieces) {
    if (p.begin != captured) break;
    captured = p.captured;
  }
  captured = std::min(captured, *e.length);
  e.data.resize(captured);
  return {std::move(e.data), *e.length, e.first, e.last};
}

} // namespace profiler::net
