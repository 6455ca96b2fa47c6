#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.6, RFC 8881 section 18.6.
struct delegreturn {
  static constexpr u32 procedure = 8;
  static constexpr std::string_view name = "DELEGRETURN";

  struct args {
    v4::stateid deleg_stateid;
    static bool fields(auto& m, auto& ar) { return ar("deleg_stateid", m.deleg_stateid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
