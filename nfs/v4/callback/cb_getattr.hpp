#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.1.
struct cb_getattr {
  static constexpr u32 procedure = 3;
  static constexpr std::string_view name = "CB_GETATTR";

  struct args {
    file_handle object;
    bitmap attr_request;
    static bool fields(auto& m, auto& ar) {
      return ar("object", m.object, "attr_request", m.attr_request);
    }
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
