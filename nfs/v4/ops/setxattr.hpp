#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8276 section 8.4.2.
struct setxattr {
  static constexpr u32 procedure = 73;
  static constexpr std::string_view name = "SETXATTR";

  struct args {
    u32 option = 0; ///< 0: either, 1: create, 2: replace
    std::string_view key;
    bytes value;
    static bool fields(auto& m, auto& ar) {
      return ar("option", m.option) && ar.text("key", m.key, component_bytes_max) &&
             ar.opaque("value", m.value, xattr_bytes_max);
    }
  };

  using reply = change_result;
};

} // namespace nfs::v4
