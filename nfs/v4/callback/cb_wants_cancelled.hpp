#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.10.
struct cb_wants_cancelled {
  static constexpr u32 procedure = 12;
  static constexpr std::string_view name = "CB_WANTS_CANCELLED";

  struct args {
    bool contended = false;
    bool resourced = false;
    static bool fields(auto& m, auto& ar) {
      return ar("contended", m.contended, "resourced", m.resourced);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
