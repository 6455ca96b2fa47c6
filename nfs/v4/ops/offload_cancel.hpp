#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.8.
struct offload_cancel {
  static constexpr u32 procedure = 66;
  static constexpr std::string_view name = "OFFLOAD_CANCEL";

  struct args {
    v4::stateid stateid;
    static bool fields(auto& m, auto& ar) { return ar("stateid", m.stateid); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
