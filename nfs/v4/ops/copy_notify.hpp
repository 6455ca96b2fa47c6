#pragma once

#include "nfs/v4/copy_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.3.
struct copy_notify {
  static constexpr u32 procedure = 61;
  static constexpr std::string_view name = "COPY_NOTIFY";

  struct args {
    v4::stateid src_stateid;
    netloc destination_server;
    static bool fields(auto& m, auto& ar) {
      return ar("src_stateid", m.src_stateid, "destination_server", m.destination_server);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    nfstime lease_time;
    v4::stateid stateid;
    std::vector<netloc> source_server;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("lease_time", m.lease_time, "stateid", m.stateid) &&
               ar.array("source_server", m.source_server, list_items_max)));
    }
  };
};

} // namespace nfs::v4
