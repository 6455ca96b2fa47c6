#pragma once

#include "wire/bytes.hpp"

#include <cassert>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace wire {

/// The calls in flight of one connection, by xid or MessageId, in the order in which they came.
/// The clients find a reply's waiter in it, the profiler a reply's call: same table, same rules.
/// Memory is bounded by `capacity`; when it is full the oldest entry makes room and is handed back.
/// Open addressing with linear probing over slots of one array; no allocation after it has grown.
template <class Entry>
class call_table {
 public:
  explicit call_table(std::size_t capacity) : capacity_(capacity) { assert(capacity > 0); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  [[nodiscard]] Entry* find(u64 id) noexcept {
    const auto index = index_of(id);
    return index == none ? nullptr : &slots_[slot_of_[index]].entry;
  }

  struct inserted {
    Entry* entry;                 ///< valid until the next insert or take
    std::optional<Entry> evicted; ///< the oldest call, when there was no room left
    u64 evicted_id = 0;
  };

  /// `id` must not be in the table: look with find() first, a repeated id is a retransmission.
  inserted insert(u64 id, Entry entry) {
    assert(find(id) == nullptr);
    inserted out{nullptr, std::nullopt, 0};
    if (size_ == capacity_) {
      out.evicted_id = slots_[oldest_].id;
      out.evicted = take(out.evicted_id);
    }
    if ((size_ + 1) * 2 > slot_of_.size()) rehash();
    const auto slot = allocate(id, std::move(entry));
    link_newest(slot);
    place(id, slot);
    ++size_;
    out.entry = &slots_[slot].entry;
    return out;
  }

  std::optional<Entry> take(u64 id) {
    const auto index = index_of(id);
    if (index == none) return std::nullopt;
    const auto slot = slot_of_[index];
    erase_index(index);
    unlink(slot);
    std::optional<Entry> out(std::move(slots_[slot].entry));
    slots_[slot].entry = Entry{};
    slots_[slot].newer = free_;
    free_ = slot;
    --size_;
    return out;
  }

  /// The call that has waited longest; nullptr when there is none.
  [[nodiscard]] Entry* oldest() noexcept {
    return oldest_ == none ? nullptr : &slots_[oldest_].entry;
  }
  [[nodiscard]] u64 oldest_id() const noexcept {
    assert(oldest_ != none);
    return slots_[oldest_].id;
  }

  /// Calls f(id, entry) from the oldest to the newest; f must not insert or take.
  template <class F>
  void for_each(F&& f) {
    for (auto slot = oldest_; slot != none; slot = slots_[slot].newer)
      f(slots_[slot].id, slots_[slot].entry);
  }

 private:
  static constexpr u32 none = std::numeric_limits<u32>::max();

  struct node {
    u64 id = 0;
    u32 older = none;
    u32 newer = none; ///< next free slot while the slot is free
    Entry entry{};
  };

  [[nodiscard]] std::size_t home(u64 id) const noexcept {
    return static_cast<std::size_t>((id * 0x9E3779B97F4A7C15u) >> shift_);
  }

  [[nodiscard]] u32 index_of(u64 id) const noexcept {
    if (slot_of_.empty()) return none;
    const auto mask = slot_of_.size() - 1;
    for (auto i = home(id);; i = (i + 1) & mask) {
      if (slot_of_[i] == none) return none;
      if (slots_[slot_of_[i]].id == id) return static_cast<u32>(i);
    }
  }

  void place(u64 id, u32 slot) noexcept {
    const auto mask = slot_of_.size() - 1;
    auto i = home(id);
    while (slot_of_[i] != none)
      i = (i + 1) & mask;
    slot_of_[i] = slot;
  }

  /// Closes the hole that a removal leaves, so that no tombstones pile up.
  void erase_index(std::size_t hole) noexcept {
    const auto mask = slot_of_.size() - 1;
    for (auto i = (hole + 1) & mask; slot_of_[i] != none; i = (i + 1) & mask) {
      const auto want = home(slots_[slot_of_[i]].id);
      if (((i - want) & mask) < ((i - hole) & mask)) continue;
      slot_of_[hole] = slot_of_[i];
      hole = i;
    }
    slot_of_[hole] = none;
  }

  void rehash() {
    const auto size = slot_of_.empty() ? std::size_t{16} : slot_of_.size() * 2;
    slot_of_.assign(size, none);
    shift_ = 64 - std::countr_zero(size);
    for (auto slot = oldest_; slot != none; slot = slots_[slot].newer)
      place(slots_[slot].id, slot);
  }

  u32 allocate(u64 id, Entry&& entry) {
    if (free_ == none) {
      slots_.push_back({});
      free_ = static_cast<u32>(slots_.size() - 1);
    }
    const auto slot = free_;
    free_ = slots_[slot].newer;
    slots_[slot].id = id;
    slots_[slot].entry = std::move(entry);
    return slot;
  }

  void link_newest(u32 slot) noexcept {
    slots_[slot].older = newest_;
    slots_[slot].newer = none;
    (newest_ == none ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
  }

  void unlink(u32 slot) noexcept {
    const auto older = slots_[slot].older;
    const auto newer = slots_[slot].newer;
    (older == none ? oldest_ : slots_[older].newer) = newer;
    (newer == none ? newest_ : slots_[newer].older) = older;
  }

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<node> slots_;
  std::vector<u32> slot_of_;
  int shift_ = 64;
  u32 free_ = none;
  u32 oldest_ = none;
  u32 newest_ = none;
};

} // namespace wire
