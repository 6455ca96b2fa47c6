#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.6.
struct cb_recall_any {
  static constexpr u32 procedure = 8;
  static constexpr std::string_view name = "CB_RECALL_ANY";

  struct args {
    u32 objects_to_keep = 0;
    bitmap type_mask;
    static bool fields(auto& m, auto& ar) {
      return ar("objects_to_keep", m.objects_to_keep, "type_mask", m.type_mask);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
