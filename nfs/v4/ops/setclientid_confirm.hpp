#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Minor version 0 only.
/// Source: RFC 7530 section 16.34.
struct setclientid_confirm {
  static constexpr u32 procedure = 36;
  static constexpr std::string_view name = "SETCLIENTID_CONFIRM";

  struct args {
    u64 clientid = 0;
    verifier confirm{};
    static bool fields(auto& m, auto& ar) {
      return ar("clientid", m.clientid, "confirm", m.confirm);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
