#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// A reply may hold fewer bytes than were asked for; `eof` tells the end of the file from that.
/// Source: RFC 7530 section 16.23, RFC 8881 section 18.22.
struct read {
  static constexpr u32 procedure = 25;
  static constexpr std::string_view name = "READ";

  struct args {
    v4::stateid stateid;
    u64 offset = 0;
    u32 count = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "offset", m.offset, "count", m.count);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bool eof = false;
    bytes data;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("eof", m.eof) && ar.payload("data", m.data, data_bytes_max)));
    }
  };
};

} // namespace nfs::v4
