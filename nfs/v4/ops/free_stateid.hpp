#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.38.
struct free_stateid {
  static constexpr u32 procedure = 45;
  static constexpr std::string_view name = "FREE_STATEID";

  struct args {
    v4::stateid stateid;
    static bool fields(auto& m, auto& ar) { return ar("stateid", m.stateid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
