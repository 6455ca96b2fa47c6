#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Minor version 0 only.
/// Source: RFC 7530 section 16.33.
struct setclientid {
  static constexpr u32 procedure = 35;
  static constexpr std::string_view name = "SETCLIENTID";

  struct args {
    v4::verifier verifier{};
    bytes id;
    u32 cb_program = 0;
    netaddr cb_location;
    u32 callback_ident = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("verifier", m.verifier) && ar.opaque("id", m.id, opaque_bytes_max) &&
             ar("cb_program", m.cb_program, "cb_location", m.cb_location, "callback_ident",
                m.callback_ident);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u64 clientid = 0;
    v4::verifier confirm{};
    netaddr client_using; ///< of CLID_INUSE
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat4::clid_inuse) return ar("client_using", m.client_using);
      return m.status != nfsstat4::ok || ar("clientid", m.clientid, "confirm", m.confirm);
    }
  };
};

} // namespace nfs::v4
