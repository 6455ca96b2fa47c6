#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// The saved handle gets a name in the directory that the current one is.
/// Source: RFC 7530 section 16.9, RFC 8881 section 18.9.
struct link {
  static constexpr u32 procedure = 11;
  static constexpr std::string_view name = "LINK";

  struct args {
    std::string_view newname;
    static bool fields(auto& m, auto& ar) {
      return ar.text("newname", m.newname, component_bytes_max);
    }
  };

  using reply = change_result;
};

} // namespace nfs::v4
