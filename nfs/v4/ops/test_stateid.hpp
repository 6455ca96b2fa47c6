#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.48.
struct test_stateid {
  static constexpr u32 procedure = 55;
  static constexpr std::string_view name = "TEST_STATEID";

  struct args {
    std::vector<v4::stateid> stateids;
    static bool fields(auto& m, auto& ar) {
      return ar.array("stateids", m.stateids, list_items_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    std::vector<status_result> status_codes;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar.array("status_codes", m.status_codes, list_items_max));
    }
  };
};

} // namespace nfs::v4
