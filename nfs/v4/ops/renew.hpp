#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Minor version 0 only.
/// Source: RFC 7530 section 16.28.
struct renew {
  static constexpr u32 procedure = 30;
  static constexpr std::string_view name = "RENEW";

  struct args {
    u64 clientid = 0;
    static bool fields(auto& m, auto& ar) { return ar("clientid", m.clientid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
