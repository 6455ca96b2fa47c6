#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.11.
struct seek {
  static constexpr u32 procedure = 69;
  static constexpr std::string_view name = "SEEK";

  struct args {
    v4::stateid stateid;
    u64 offset = 0;
    u32 what = 0; ///< 0: data, 1: a hole
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "offset", m.offset, "what", m.what);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bool eof = false;
    u64 offset = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("eof", m.eof, "offset", m.offset));
    }
  };
};

} // namespace nfs::v4
