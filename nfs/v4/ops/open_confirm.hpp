#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Minor version 0 only.
/// Source: RFC 7530 section 16.18.
struct open_confirm {
  static constexpr u32 procedure = 20;
  static constexpr std::string_view name = "OPEN_CONFIRM";

  struct args {
    v4::stateid open_stateid;
    u32 seqid = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("open_stateid", m.open_stateid, "seqid", m.seqid);
    }
  };

  using reply = stateid_result;
};

} // namespace nfs::v4
