#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.36, RFC 8881 section 18.32.
struct write {
  static constexpr u32 procedure = 38;
  static constexpr std::string_view name = "WRITE";

  struct args {
    v4::stateid stateid;
    u64 offset = 0;
    stable_how stable = stable_how::unstable;
    bytes data;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "offset", m.offset, "stable", m.stable) &&
             ar.payload("data", m.data, data_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u32 count = 0;
    stable_how committed = stable_how::unstable;
    verifier writeverf{};
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              ar("count", m.count, "committed", m.committed, "writeverf", m.writeverf));
    }
  };
};

} // namespace nfs::v4
