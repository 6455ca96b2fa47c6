#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.25, RFC 8881 section 18.24.
struct readlink {
  static constexpr u32 procedure = 27;
  static constexpr std::string_view name = "READLINK";

  using args = nothing;

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    std::string_view link;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar.text("link", m.link, link_bytes_max));
    }
  };
};

} // namespace nfs::v4
