#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.46.
struct sequence {
  static constexpr u32 procedure = 53;
  static constexpr std::string_view name = "SEQUENCE";

  struct args {
    v4::sessionid session{};
    u32 sequenceid = 0;
    u32 slotid = 0;
    u32 highest_slotid = 0;
    bool cachethis = false;
    static bool fields(auto& m, auto& ar) {
      return ar("session", m.session, "sequenceid", m.sequenceid, "slotid", m.slotid,
                "highest_slotid", m.highest_slotid, "cachethis", m.cachethis);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::sessionid session{};
    u32 sequenceid = 0;
    u32 slotid = 0;
    u32 highest_slotid = 0;
    u32 target_highest_slotid = 0;
    u32 status_flags = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              ar("session", m.session, "sequenceid", m.sequenceid, "slotid", m.slotid,
                 "highest_slotid", m.highest_slotid, "target_highest_slotid",
                 m.target_highest_slotid, "status_flags", m.status_flags));
    }
  };
};

} // namespace nfs::v4
