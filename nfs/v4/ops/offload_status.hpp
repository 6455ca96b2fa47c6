#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.9.
struct offload_status {
  static constexpr u32 procedure = 67;
  static constexpr std::string_view name = "OFFLOAD_STATUS";

  struct args {
    v4::stateid stateid;
    static bool fields(auto& m, auto& ar) { return ar("stateid", m.stateid); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u64 count = 0;
    std::vector<status_result> complete;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("count", m.count) && ar.array("complete", m.complete, 1)));
    }
  };
};

} // namespace nfs::v4
