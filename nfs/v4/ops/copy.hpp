#pragma once

#include "nfs/v4/copy_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.2.
struct copy {
  static constexpr u32 procedure = 60;
  static constexpr std::string_view name = "COPY";

  struct args {
    v4::stateid src_stateid;
    v4::stateid dst_stateid;
    u64 src_offset = 0;
    u64 dst_offset = 0;
    u64 count = 0; ///< bytes, 0: to the end
    bool consecutive = false;
    bool synchronous = false;
    std::vector<netloc> source_server;
    static bool fields(auto& m, auto& ar) {
      return ar("src_stateid", m.src_stateid, "dst_stateid", m.dst_stateid, "src_offset",
                m.src_offset, "dst_offset", m.dst_offset, "count", m.count, "consecutive",
                m.consecutive, "synchronous", m.synchronous) &&
             ar.array("source_server", m.source_server, list_items_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    write_response response;
    bool consecutive = false; ///< what the server can do: also of OFFLOAD_NO_REQS
    bool synchronous = false;
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat4::ok && !ar("response", m.response)) return false;
      return (m.status != nfsstat4::ok && m.status != nfsstat4::offload_no_reqs) ||
             ar("consecutive", m.consecutive, "synchronous", m.synchronous);
    }
  };
};

} // namespace nfs::v4
