#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.26, RFC 8881 section 18.25.
struct remove {
  static constexpr u32 procedure = 28;
  static constexpr std::string_view name = "REMOVE";

  struct args {
    std::string_view target;
    static bool fields(auto& m, auto& ar) {
      return ar.text("target", m.target, component_bytes_max);
    }
  };

  using reply = change_result;
};

} // namespace nfs::v4
