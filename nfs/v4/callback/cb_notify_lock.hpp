#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.11.
struct cb_notify_lock {
  static constexpr u32 procedure = 13;
  static constexpr std::string_view name = "CB_NOTIFY_LOCK";

  struct args {
    file_handle object;
    state_owner lock_owner;
    static bool fields(auto& m, auto& ar) {
      return ar("object", m.object, "lock_owner", m.lock_owner);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
