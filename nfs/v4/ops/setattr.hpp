#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.32, RFC 8881 section 18.30.
struct setattr {
  static constexpr u32 procedure = 34;
  static constexpr std::string_view name = "SETATTR";

  struct args {
    v4::stateid stateid;
    fattr obj_attributes;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "obj_attributes", m.obj_attributes);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bitmap attrsset; ///< also of a failure: what was set before it
    static bool fields(auto& m, auto& ar) { return ar("status", m.status, "attrsset", m.attrsset); }
  };
};

} // namespace nfs::v4
