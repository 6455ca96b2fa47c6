#pragma once

#include "nfs/v4/session_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.33.
struct backchannel_ctl {
  static constexpr u32 procedure = 40;
  static constexpr std::string_view name = "BACKCHANNEL_CTL";

  struct args {
    u32 cb_program = 0;
    std::vector<callback_sec_parms> sec_parms;
    static bool fields(auto& m, auto& ar) {
      return ar("cb_program", m.cb_program) && ar.array("sec_parms", m.sec_parms, list_items_max);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
