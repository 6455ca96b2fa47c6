#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Limits of one channel of a session. Source: RFC 8881 section 18.36.1.
struct channel_attrs {
  u32 headerpadsize = 0;
  u32 maxrequestsize = 0;
  u32 maxresponsesize = 0;
  u32 maxresponsesize_cached = 0;
  u32 maxoperations = 0; ///< of one COMPOUND
  u32 maxrequests = 0;   ///< slots
  std::vector<number_item> rdma_ird;

  static bool fields(auto& m, auto& ar) {
    return ar("headerpadsize", m.headerpadsize, "maxrequestsize", m.maxrequestsize,
              "maxresponsesize", m.maxresponsesize, "maxresponsesize_cached",
              m.maxresponsesize_cached, "maxoperations", m.maxoperations, "maxrequests",
              m.maxrequests) &&
           ar.array("rdma_ird", m.rdma_ird, 1);
  }
};

/// What the server is to call back with. Source: RFC 8881 section 18.33.1.
struct callback_sec_parms {
  rpc::auth_flavor flavor = rpc::auth_flavor::none;
  rpc::auth_sys_parms sys;
  u32 service = 0; ///< RPCSEC_GSS
  bytes handle_from_server;
  bytes handle_from_client;

  static bool fields(auto& m, auto& ar) {
    if (!ar("flavor", m.flavor)) return false;
    if (m.flavor == rpc::auth_flavor::none) return true;
    if (m.flavor == rpc::auth_flavor::sys) return ar("sys", m.sys);
    if (m.flavor != rpc::auth_flavor::gss) return ar.refuse();
    return ar("service", m.service) &&
           ar.opaque("handle_from_server", m.handle_from_server, opaque_bytes_max) &&
           ar.opaque("handle_from_client", m.handle_from_client, opaque_bytes_max);
  }
};

/// Who wrote the client or the server. Source: RFC 8881 section 3.3.21.
struct impl_id {
  std::string_view domain;
  std::string_view name;
  nfstime date;

  static bool fields(auto& m, auto& ar) {
    return ar.text("domain", m.domain, opaque_bytes_max) &&
           ar.text("name", m.name, opaque_bytes_max) && ar("date", m.date);
  }
};

/// Source: RFC 8881 section 18.35.1.
enum class state_protect_how : u32 { none = 0, mach_cred = 1, ssv = 2 };

struct state_protect_ops {
  bitmap must_enforce;
  bitmap must_allow;

  static bool fields(auto& m, auto& ar) {
    return ar("must_enforce", m.must_enforce, "must_allow", m.must_allow);
  }
};

} // namespace nfs::v4
