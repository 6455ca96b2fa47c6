#pragma once

#include "nfs/v4/ops/secinfo.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.45.
struct secinfo_no_name {
  static constexpr u32 procedure = 52;
  static constexpr std::string_view name = "SECINFO_NO_NAME";

  struct args {
    u32 style = 0;
    static bool fields(auto& m, auto& ar) { return ar("style", m.style); }
  };
  using reply = secinfo::reply;
};

} // namespace nfs::v4
