#pragma once

#include "nfs/v4/open_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.5.
struct cb_push_deleg {
  static constexpr u32 procedure = 7;
  static constexpr std::string_view name = "CB_PUSH_DELEG";

  struct args {
    file_handle object;
    open_delegation delegation;
    static bool fields(auto& m, auto& ar) {
      return ar("object", m.object, "delegation", m.delegation);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
