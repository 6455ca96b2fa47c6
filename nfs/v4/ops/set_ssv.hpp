#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.47.
struct set_ssv {
  static constexpr u32 procedure = 54;
  static constexpr std::string_view name = "SET_SSV";

  struct args {
    bytes ssv;
    bytes digest;
    static bool fields(auto& m, auto& ar) {
      return ar.opaque("ssv", m.ssv, opaque_bytes_max) &&
             ar.opaque("digest", m.digest, opaque_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bytes digest;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar.opaque("digest", m.digest, opaque_bytes_max));
    }
  };
};

} // namespace nfs::v4
