#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.13.
struct clone {
  static constexpr u32 procedure = 71;
  static constexpr std::string_view name = "CLONE";

  struct args {
    v4::stateid src_stateid;
    v4::stateid dst_stateid;
    u64 src_offset = 0;
    u64 dst_offset = 0;
    u64 count = 0; ///< bytes, 0: to the end
    static bool fields(auto& m, auto& ar) {
      return ar("src_stateid", m.src_stateid, "dst_stateid", m.dst_stateid, "src_offset",
                m.src_offset, "dst_offset", m.dst_offset, "count", m.count);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
