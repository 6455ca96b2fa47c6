#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.7, RFC 8881 section 18.7.
struct getattr {
  static constexpr u32 procedure = 9;
  static constexpr std::string_view name = "GETATTR";

  struct args {
    bitmap attr_request;
    static bool fields(auto& m, auto& ar) { return ar("attr_request", m.attr_request); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    fattr obj_attributes;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("obj_attributes", m.obj_attributes));
    }
  };
};

} // namespace nfs::v4
