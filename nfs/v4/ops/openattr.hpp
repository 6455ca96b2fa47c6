#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// The directory of named attributes.
/// Source: RFC 7530 section 16.17, RFC 8881 section 18.17.
struct openattr {
  static constexpr u32 procedure = 19;
  static constexpr std::string_view name = "OPENATTR";

  struct args {
    bool createdir = false;
    static bool fields(auto& m, auto& ar) { return ar("createdir", m.createdir); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
