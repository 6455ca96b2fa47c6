#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.2, RFC 8881 section 18.2.
struct close {
  static constexpr u32 procedure = 4;
  static constexpr std::string_view name = "CLOSE";

  struct args {
    u32 seqid = 0;
    v4::stateid open_stateid;
    static bool fields(auto& m, auto& ar) {
      return ar("seqid", m.seqid, "open_stateid", m.open_stateid);
    }
  };

  using reply = stateid_result;
};

} // namespace nfs::v4
