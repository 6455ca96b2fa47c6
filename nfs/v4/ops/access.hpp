#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.1, RFC 8881 section 18.1.
struct access {
  static constexpr u32 procedure = 3;
  static constexpr std::string_view name = "ACCESS";

  struct args {
    u32 access = 0;
    static bool fields(auto& m, auto& ar) { return ar("access", m.access); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u32 supported = 0;
    u32 access = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("supported", m.supported, "access", m.access));
    }
  };
};

} // namespace nfs::v4
