#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.51.
struct reclaim_complete {
  static constexpr u32 procedure = 58;
  static constexpr std::string_view name = "RECLAIM_COMPLETE";

  struct args {
    bool one_fs = false;
    static bool fields(auto& m, auto& ar) { return ar("one_fs", m.one_fs); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
