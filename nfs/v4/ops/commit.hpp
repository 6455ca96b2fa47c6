#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.3, RFC 8881 section 18.3.
struct commit {
  static constexpr u32 procedure = 5;
  static constexpr std::string_view name = "COMMIT";

  struct args {
    u64 offset = 0;
    u32 count = 0; ///< bytes, 0: to the end
    static bool fields(auto& m, auto& ar) { return ar("offset", m.offset, "count", m.count); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    verifier writeverf{};
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("writeverf", m.writeverf));
    }
  };
};

} // namespace nfs::v4
