#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.2.
struct cb_recall {
  static constexpr u32 procedure = 4;
  static constexpr std::string_view name = "CB_RECALL";

  struct args {
    v4::stateid stateid;
    bool truncate = false;
    file_handle object;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "truncate", m.truncate, "object", m.object);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
