#pragma once

#include "nfs/v4/lock_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.12, RFC 8881 section 18.12.
struct locku {
  static constexpr u32 procedure = 14;
  static constexpr std::string_view name = "LOCKU";

  struct args {
    lock_type locktype = lock_type::read;
    u32 seqid = 0;
    v4::stateid lock_stateid;
    u64 offset = 0;
    u64 length = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("locktype", m.locktype, "seqid", m.seqid, "lock_stateid", m.lock_stateid, "offset",
                m.offset, "length", m.length);
    }
  };

  using reply = stateid_result;
};

} // namespace nfs::v4
