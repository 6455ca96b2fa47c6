#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.5, RFC 8881 section 18.5.
struct delegpurge {
  static constexpr u32 procedure = 7;
  static constexpr std::string_view name = "DELEGPURGE";

  struct args {
    u64 clientid = 0;
    static bool fields(auto& m, auto& ar) { return ar("clientid", m.clientid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
