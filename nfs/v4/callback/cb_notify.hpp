#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.4.
struct cb_notify {
  static constexpr u32 procedure = 6;
  static constexpr std::string_view name = "CB_NOTIFY";

  struct notification {
    bitmap mask;
    bytes values;
    static bool fields(auto& m, auto& ar) {
      return ar("mask", m.mask) && ar.opaque("values", m.values, values_bytes_max);
    }
  };

  struct args {
    v4::stateid stateid;
    file_handle object;
    std::vector<notification> changes;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "object", m.object) &&
             ar.array("changes", m.changes, list_items_max);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
