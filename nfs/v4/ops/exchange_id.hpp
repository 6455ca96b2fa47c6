#pragma once

#include "nfs/v4/session_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.35.
struct exchange_id {
  static constexpr u32 procedure = 42;
  static constexpr std::string_view name = "EXCHANGE_ID";

  struct state_protect_args {
    state_protect_how how = state_protect_how::none;
    state_protect_ops ops;              ///< mach_cred and ssv
    std::vector<opaque_item> hash_algs; ///< these four of ssv
    std::vector<opaque_item> encr_algs;
    u32 window = 0;
    u32 num_gss_handles = 0;
    static bool fields(auto& m, auto& ar) {
      if (!ar("how", m.how)) return false;
      if (m.how == state_protect_how::none) return true;
      if (m.how > state_protect_how::ssv) return ar.refuse();
      if (!ar("ops", m.ops)) return false;
      if (m.how == state_protect_how::mach_cred) return true;
      return ar.array("hash_algs", m.hash_algs, list_items_max) &&
             ar.array("encr_algs", m.encr_algs, list_items_max) &&
             ar("window", m.window, "num_gss_handles", m.num_gss_handles);
    }
  };

  struct state_protect_reply {
    state_protect_how how = state_protect_how::none;
    state_protect_ops ops; ///< mach_cred and ssv
    u32 hash_alg = 0;      ///< these five of ssv
    u32 encr_alg = 0;
    u32 ssv_len = 0;
    u32 window = 0;
    std::vector<opaque_item> handles;
    static bool fields(auto& m, auto& ar) {
      if (!ar("how", m.how)) return false;
      if (m.how == state_protect_how::none) return true;
      if (m.how > state_protect_how::ssv) return ar.refuse();
      if (!ar("ops", m.ops)) return false;
      if (m.how == state_protect_how::mach_cred) return true;
      return ar("hash_alg", m.hash_alg, "encr_alg", m.encr_alg, "ssv_len", m.ssv_len, "window",
                m.window) &&
             ar.array("handles", m.handles, list_items_max);
    }
  };

  struct args {
    verifier owner_verifier{};
    bytes ownerid;
    u32 flags = 0;
    state_protect_args state_protect;
    std::vector<impl_id> client_impl_id;
    static bool fields(auto& m, auto& ar) {
      return ar("owner_verifier", m.owner_verifier) &&
             ar.opaque("ownerid", m.ownerid, opaque_bytes_max) &&
             ar("flags", m.flags, "state_protect", m.state_protect) &&
             ar.array("client_impl_id", m.client_impl_id, 1);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u64 clientid = 0;
    u32 sequenceid = 0;
    u32 flags = 0;
    state_protect_reply state_protect;
    u64 server_minor_id = 0;
    bytes server_major_id;
    bytes server_scope;
    std::vector<impl_id> server_impl_id;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("clientid", m.clientid, "sequenceid", m.sequenceid, "flags", m.flags,
                  "state_protect", m.state_protect, "server_minor_id", m.server_minor_id) &&
               ar.opaque("server_major_id", m.server_major_id, opaque_bytes_max) &&
               ar.opaque("server_scope", m.server_scope, opaque_bytes_max) &&
               ar.array("server_impl_id", m.server_impl_id, 1)));
    }
  };
};

} // namespace nfs::v4
