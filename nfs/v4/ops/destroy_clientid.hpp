#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.50.
struct destroy_clientid {
  static constexpr u32 procedure = 57;
  static constexpr std::string_view name = "DESTROY_CLIENTID";

  struct args {
    u64 clientid = 0;
    static bool fields(auto& m, auto& ar) { return ar("clientid", m.clientid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
