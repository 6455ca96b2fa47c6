#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.8.
struct cb_recall_slot {
  static constexpr u32 procedure = 10;
  static constexpr std::string_view name = "CB_RECALL_SLOT";

  struct args {
    u32 target_highest_slotid = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("target_highest_slotid", m.target_highest_slotid);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
