#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.37.
struct destroy_session {
  static constexpr u32 procedure = 44;
  static constexpr std::string_view name = "DESTROY_SESSION";

  struct args {
    v4::sessionid session{};
    static bool fields(auto& m, auto& ar) { return ar("session", m.session); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
