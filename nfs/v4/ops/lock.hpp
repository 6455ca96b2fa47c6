#pragma once

#include "nfs/v4/lock_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.10, RFC 8881 section 18.10.
struct lock {
  static constexpr u32 procedure = 12;
  static constexpr std::string_view name = "LOCK";

  struct args {
    lock_type locktype = lock_type::read;
    bool reclaim = false;
    u64 offset = 0;
    u64 length = 0;
    bool new_lock_owner = false;
    u32 open_seqid = 0; ///< these four of a new owner
    v4::stateid open_stateid;
    u32 lock_seqid = 0; ///< of each owner
    state_owner lock_owner;
    v4::stateid lock_stateid; ///< of an owner that has locks
    static bool fields(auto& m, auto& ar) {
      if (!ar("locktype", m.locktype, "reclaim", m.reclaim, "offset", m.offset, "length", m.length,
              "new_lock_owner", m.new_lock_owner))
        return false;
      return m.new_lock_owner ? ar("open_seqid", m.open_seqid, "open_stateid", m.open_stateid,
                                   "lock_seqid", m.lock_seqid, "lock_owner", m.lock_owner)
                              : ar("lock_stateid", m.lock_stateid, "lock_seqid", m.lock_seqid);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::stateid stateid;
    lock_denied denied;
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat4::ok) return ar("stateid", m.stateid);
      return m.status != nfsstat4::denied || ar("denied", m.denied);
    }
  };
};

} // namespace nfs::v4
