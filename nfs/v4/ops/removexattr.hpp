#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8276 section 8.4.4.
struct removexattr {
  static constexpr u32 procedure = 75;
  static constexpr std::string_view name = "REMOVEXATTR";

  struct args {
    std::string_view key;
    static bool fields(auto& m, auto& ar) { return ar.text("key", m.key, component_bytes_max); }
  };

  using reply = change_result;
};

} // namespace nfs::v4
