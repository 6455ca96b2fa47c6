#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.42.
struct layoutcommit {
  static constexpr u32 procedure = 49;
  static constexpr std::string_view name = "LAYOUTCOMMIT";

  struct args {
    u64 offset = 0;
    u64 length = 0;
    bool reclaim = false;
    v4::stateid stateid;
    std::optional<u64> last_write_offset;
    std::optional<nfstime> time_modify;
    layout_body layoutupdate;
    static bool fields(auto& m, auto& ar) {
      return ar("offset", m.offset, "length", m.length, "reclaim", m.reclaim, "stateid", m.stateid,
                "last_write_offset", m.last_write_offset, "time_modify", m.time_modify,
                "layoutupdate", m.layoutupdate);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    std::optional<u64> newsize;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("newsize", m.newsize));
    }
  };
};

} // namespace nfs::v4
