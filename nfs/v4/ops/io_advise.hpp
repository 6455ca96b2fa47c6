#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.5.
struct io_advise {
  static constexpr u32 procedure = 63;
  static constexpr std::string_view name = "IO_ADVISE";

  struct args {
    v4::stateid stateid;
    u64 offset = 0;
    u64 count = 0;
    bitmap hints;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "offset", m.offset, "count", m.count, "hints", m.hints);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bitmap hints;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("hints", m.hints));
    }
  };
};

} // namespace nfs::v4
