#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.13, RFC 8881 section 18.13.
struct lookup {
  static constexpr u32 procedure = 15;
  static constexpr std::string_view name = "LOOKUP";

  struct args {
    std::string_view objname;
    static bool fields(auto& m, auto& ar) {
      return ar.text("objname", m.objname, component_bytes_max);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
