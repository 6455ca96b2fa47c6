#pragma once

#include "nfs/v4/session_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.36.
struct create_session {
  static constexpr u32 procedure = 43;
  static constexpr std::string_view name = "CREATE_SESSION";

  struct args {
    u64 clientid = 0;
    u32 sequence = 0;
    u32 flags = 0;
    channel_attrs fore;
    channel_attrs back;
    u32 cb_program = 0;
    std::vector<callback_sec_parms> sec_parms;
    static bool fields(auto& m, auto& ar) {
      return ar("clientid", m.clientid, "sequence", m.sequence, "flags", m.flags, "fore", m.fore,
                "back", m.back, "cb_program", m.cb_program) &&
             ar.array("sec_parms", m.sec_parms, list_items_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::sessionid session{};
    u32 sequence = 0;
    u32 flags = 0;
    channel_attrs fore;
    channel_attrs back;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("session", m.session, "sequence", m.sequence, "flags",
                                             m.flags, "fore", m.fore, "back", m.back));
    }
  };
};

} // namespace nfs::v4
