#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.31, RFC 8881 section 18.29.
struct secinfo {
  static constexpr u32 procedure = 33;
  static constexpr std::string_view name = "SECINFO";

  struct secinfo_flavor {
    rpc::auth_flavor flavor = rpc::auth_flavor::none;
    bytes oid; ///< these three of RPCSEC_GSS
    u32 qop = 0;
    u32 service = 0;
    static bool fields(auto& m, auto& ar) {
      if (!ar("flavor", m.flavor)) return false;
      return m.flavor != rpc::auth_flavor::gss ||
             (ar.opaque("oid", m.oid, opaque_bytes_max) && ar("qop", m.qop, "service", m.service));
    }
  };

  struct args {
    std::string_view objname;
    static bool fields(auto& m, auto& ar) {
      return ar.text("objname", m.objname, component_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    std::vector<secinfo_flavor> flavors;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar.array("flavors", m.flavors, list_items_max));
    }
  };
};

} // namespace nfs::v4
