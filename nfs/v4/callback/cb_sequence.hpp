#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.9.
struct cb_sequence {
  static constexpr u32 procedure = 11;
  static constexpr std::string_view name = "CB_SEQUENCE";

  struct referring_call {
    u32 sequenceid = 0;
    u32 slotid = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("sequenceid", m.sequenceid, "slotid", m.slotid);
    }
  };

  struct referring_calls {
    v4::sessionid session{};
    std::vector<referring_call> calls;
    static bool fields(auto& m, auto& ar) {
      return ar("session", m.session) && ar.array("calls", m.calls, list_items_max);
    }
  };

  struct args {
    v4::sessionid session{};
    u32 sequenceid = 0;
    u32 slotid = 0;
    u32 highest_slotid = 0;
    bool cachethis = false;
    std::vector<referring_calls> referring;
    static bool fields(auto& m, auto& ar) {
      return ar("session", m.session, "sequenceid", m.sequenceid, "slotid", m.slotid,
                "highest_slotid", m.highest_slotid, "cachethis", m.cachethis) &&
             ar.array("referring", m.referring, list_items_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::sessionid session{};
    u32 sequenceid = 0;
    u32 slotid = 0;
    u32 highest_slotid = 0;
    u32 target_highest_slotid = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("session", m.session, "sequenceid", m.sequenceid,
                                             "slotid", m.slotid, "highest_slotid", m.highest_slotid,
                                             "target_highest_slotid", m.target_highest_slotid));
    }
  };
};

} // namespace nfs::v4
