#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.20, RFC 8881 section 18.19.
struct putfh {
  static constexpr u32 procedure = 22;
  static constexpr std::string_view name = "PUTFH";

  struct args {
    file_handle object;
    static bool fields(auto& m, auto& ar) { return ar("object", m.object); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
