#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.34.
struct bind_conn_to_session {
  static constexpr u32 procedure = 41;
  static constexpr std::string_view name = "BIND_CONN_TO_SESSION";

  struct args {
    v4::sessionid session{};
    u32 dir = 0;
    bool use_conn_in_rdma_mode = false;
    static bool fields(auto& m, auto& ar) {
      return ar("session", m.session, "dir", m.dir, "use_conn_in_rdma_mode",
                m.use_conn_in_rdma_mode);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::sessionid session{};
    u32 dir = 0;
    bool use_conn_in_rdma_mode = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("session", m.session, "dir", m.dir,
                                             "use_conn_in_rdma_mode", m.use_conn_in_rdma_mode));
    }
  };
};

} // namespace nfs::v4
