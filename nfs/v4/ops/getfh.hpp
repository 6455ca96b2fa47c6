#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.8, RFC 8881 section 18.8.
struct getfh {
  static constexpr u32 procedure = 10;
  static constexpr std::string_view name = "GETFH";

  using args = nothing;

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    file_handle object;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("object", m.object));
    }
  };
};

} // namespace nfs::v4
