#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.12.
struct cb_notify_deviceid {
  static constexpr u32 procedure = 14;
  static constexpr std::string_view name = "CB_NOTIFY_DEVICEID";

  struct notification {
    bitmap mask;
    bytes values;
    static bool fields(auto& m, auto& ar) {
      return ar("mask", m.mask) && ar.opaque("values", m.values, values_bytes_max);
    }
  };

  struct args {
    std::vector<notification> changes;
    static bool fields(auto& m, auto& ar) { return ar.array("changes", m.changes, list_items_max); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
