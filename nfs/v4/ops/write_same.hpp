#pragma once

#include "nfs/v4/copy_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.12.
struct write_same {
  static constexpr u32 procedure = 70;
  static constexpr std::string_view name = "WRITE_SAME";

  struct args {
    v4::stateid stateid;
    stable_how stable = stable_how::unstable;
    u64 offset = 0;
    u64 block_size = 0;
    u64 block_count = 0;
    u64 reloff_blocknum = 0;
    u32 block_num = 0;
    u64 reloff_pattern = 0;
    bytes pattern;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "stable", m.stable, "offset", m.offset, "block_size",
                m.block_size, "block_count", m.block_count, "reloff_blocknum", m.reloff_blocknum,
                "block_num", m.block_num, "reloff_pattern", m.reloff_pattern) &&
             ar.opaque("pattern", m.pattern, data_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    write_response response;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("response", m.response));
    }
  };
};

} // namespace nfs::v4
