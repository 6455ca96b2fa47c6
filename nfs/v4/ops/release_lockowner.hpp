#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Minor version 0 only.
/// Source: RFC 7530 section 16.37.
struct release_lockowner {
  static constexpr u32 procedure = 39;
  static constexpr std::string_view name = "RELEASE_LOCKOWNER";

  struct args {
    state_owner lock_owner;
    static bool fields(auto& m, auto& ar) { return ar("lock_owner", m.lock_owner); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
