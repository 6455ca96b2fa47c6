#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.7.
struct cb_recallable_obj_avail {
  static constexpr u32 procedure = 9;
  static constexpr std::string_view name = "CB_RECALLABLE_OBJ_AVAIL";

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
