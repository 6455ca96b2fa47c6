#pragma once

#include "wire/bytes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace nfs::v4 {

/// The slots of a session's fore channel: each carries one request at a time, under a sequence id
/// that moves on when the server has executed it.
/// · source: RFC 8881 section 2.10.6.1
class slot_table {
 public:
  struct slot {
    wire::u32 id = 0;
    wire::u32 sequenceid = 1;
  };

  enum class outcome : wire::u8 {
    executed,     ///< SEQUENCE succeeded
    not_executed, ///< SEQUENCE failed, or nothing was sent
    in_doubt,     ///< no answer: the slot may not be used for anything else
  };

  explicit slot_table(wire::u32 slots) : slots_(slots), target_(slots) {}

  /// The lowest free one, so that the server sees how few are needed.
  [[nodiscard]] std::optional<slot> acquire() {
    for (wire::u32 id = 0; id < usable(); ++id) {
      auto& s = slots_[id];
      if (s.busy || s.in_doubt) continue;
      s.busy = true;
      ++in_use_;
      return slot{id, s.sequenceid};
    }
    return std::nullopt;
  }

  void release(const slot& used, outcome how) {
    auto& s = slots_[used.id];
    s.busy = false;
    --in_use_;
    if (how == outcome::executed) ++s.sequenceid;
    if (how == outcome::in_doubt) s.in_doubt = true;
  }

  /// The server wants no more than these used (sr_target_highest_slotid). Never below one.
  void set_target(wire::u32 highest_slotid) noexcept {
    target_ = highest_slotid >= slots_.size() ? static_cast<wire::u32>(slots_.size())
                                              : highest_slotid + 1;
  }

  /// For sa_highest_slotid: of the slots in use.
  [[nodiscard]] wire::u32 highest_in_use() const noexcept {
    for (auto id = slots_.size(); id > 0; --id)
      if (slots_[id - 1].busy) return static_cast<wire::u32>(id - 1);
    return 0;
  }

  [[nodiscard]] wire::u32 usable() const noexcept { return target_; }
  [[nodiscard]] wire::u32 in_use() const noexcept { return in_use_; }
  /// None will ever become free again.
  [[nodiscard]] bool exhausted() const noexcept {
    return std::ranges::all_of(slots_.begin(), slots_.begin() + target_, &state::in_doubt);
  }

 private:
  struct state {
    wire::u32 sequenceid = 1;
    bool busy = false;
    bool in_doubt = false;
  };

  std::vector<state> slots_;
  wire::u32 target_;
  wire::u32 in_use_ = 0;
};

} // namespace nfs::v4
