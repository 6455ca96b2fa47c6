#pragma once

#include "nfs/v4/lock_types.hpp"

namespace nfs::v4 {

/// Asks whether a lock would be granted.
/// Source: RFC 7530 section 16.11, RFC 8881 section 18.11.
struct lockt {
  static constexpr u32 procedure = 13;
  static constexpr std::string_view name = "LOCKT";

  struct args {
    lock_type locktype = lock_type::read;
    u64 offset = 0;
    u64 length = 0;
    state_owner owner;
    static bool fields(auto& m, auto& ar) {
      return ar("locktype", m.locktype, "offset", m.offset, "length", m.length, "owner", m.owner);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    lock_denied denied;
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      return m.status != nfsstat4::denied || ar("denied", m.denied);
    }
  };
};

} // namespace nfs::v4
