#pragma once

#include "wire/bytes.hpp"

#include <bit>
#include <cassert>
#include <limits>
#include <vector>

namespace profiler::net {

/// Entries by key, in the order in which they were last touched. The caller keeps it bounded by
/// taking oldest() out before it inserts. Open addressing over slots of one array, like
/// wire::call_table, whose ids are numbers and whose order is that of insertion.
/// · lifetime: entries move when the table grows; a reference holds until the next insert or erase.
template <class Key, class Value, class Hash>
class lru_table {
 public:
  using handle = wire::u32;
  static constexpr handle none = std::numeric_limits<handle>::max();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] handle find(const Key& key) const noexcept {
    if (index_.empty()) return none;
    for (auto i = home(key);; i = (i + 1) & mask()) {
      const auto slot = index_[i];
      if (slot == none || slots_[slot].key == key) return slot;
    }
  }

  /// `key` must not be in the table.
  handle insert(const Key& key) {
    if ((size_ + 1) * 2 > index_.size()) grow();
    if (free_ == none) {
      slots_.emplace_back();
      free_ = static_cast<handle>(slots_.size() - 1);
    }
    const auto slot = free_;
    free_ = slots_[slot].newer;
    slots_[slot].key = key;
    place(slot);
    link_newest(slot);
    ++size_;
    return slot;
  }

  void erase(handle slot) {
    auto hole = home(slots_[slot].key);
    while (index_[hole] != slot)
      hole = (hole + 1) & mask();
    close_hole(hole);
    unlink(slot);
    slots_[slot].value = Value{};
    slots_[slot].newer = free_;
    free_ = slot;
    --size_;
  }

  [[nodiscard]] Value& operator[](handle slot) noexcept { return slots_[slot].value; }
  [[nodiscard]] const Key& key_of(handle slot) const noexcept { return slots_[slot].key; }

  void touch(handle slot) noexcept {
    if (slot == newest_) return;
    unlink(slot);
    link_newest(slot);
  }

  [[nodiscard]] handle oldest() const noexcept { return oldest_; }
  [[nodiscard]] handle newer(handle slot) const noexcept { return slots_[slot].newer; }

 private:
  struct slot_type {
    Key key{};
    handle older = none;
    handle newer = none; ///< the next free slot while the slot is free
    Value value{};
  };

  [[nodiscard]] std::size_t mask() const noexcept { return index_.size() - 1; }
  [[nodiscard]] std::size_t home(const Key& key) const noexcept {
    return static_cast<std::size_t>(Hash{}(key) >> shift_);
  }

  void place(handle slot) noexcept {
    auto i = home(slots_[slot].key);
    while (index_[i] != none)
      i = (i + 1) & mask();
    index_[i] = slot;
  }

  void close_hole(std::size_t hole) noexcept {
    for (auto i = (hole + 1) & mask(); index_[i] != none; i = (i + 1) & mask()) {
      const auto want = home(slots_[index_[i]].key);
      if (((i - want) & mask()) < ((i - hole) & mask())) continue;
      index_[hole] = index_[i];
      hole = i;
    }
    index_[hole] = none;
  }

  void grow() {
    const auto size = index_.empty() ? std::size_t{16} : index_.size() * 2;
    index_.assign(size, none);
    shift_ = 64 - std::countr_zero(size);
    for (auto slot = oldest_; slot != none; slot = slots_[slot].newer)
      place(slot);
  }

  void link_newest(handle slot) noexcept {
    slots_[slot].older = newest_;
    slots_[slot].newer = none;
    (newest_ == none ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
  }

  void unlink(handle slot) noexcept {
    const auto older = slots_[slot].older;
    const auto newer = slots_[slot].newer;
    (older == none ? oldest_ : slots_[older].newer) = newer;
    (newer == none ? newest_ : slots_[newer].older) = older;
  }

  std::vector<slot_type> slots_;
  std::vector<handle> index_;
  std::size_t size_ = 0;
  int shift_ = 64;
  handle free_ = none;
  handle oldest_ = none;
  handle newest_ = none;
};

} // namespace profiler::net
