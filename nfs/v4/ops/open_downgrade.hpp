#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.19, RFC 8881 section 18.18.
struct open_downgrade {
  static constexpr u32 procedure = 21;
  static constexpr std::string_view name = "OPEN_DOWNGRADE";

  struct args {
    v4::stateid open_stateid;
    u32 seqid = 0;
    u32 share_access = 0;
    u32 share_deny = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("open_stateid", m.open_stateid, "seqid", m.seqid, "share_access", m.share_access,
                "share_deny", m.share_deny);
    }
  };

  using reply = stateid_result;
};

} // namespace nfs::v4
