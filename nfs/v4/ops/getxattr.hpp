#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8276 section 8.4.1.
struct getxattr {
  static constexpr u32 procedure = 72;
  static constexpr std::string_view name = "GETXATTR";

  struct args {
    std::string_view key;
    static bool fields(auto& m, auto& ar) { return ar.text("key", m.key, component_bytes_max); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bytes value;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar.opaque("value", m.value, xattr_bytes_max));
    }
  };
};

} // namespace nfs::v4
