#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.15, RFC 8881 section 18.15.
struct nverify {
  static constexpr u32 procedure = 17;
  static constexpr std::string_view name = "NVERIFY";

  struct args {
    fattr obj_attributes;
    static bool fields(auto& m, auto& ar) { return ar("obj_attributes", m.obj_attributes); }
  };

  using reply = status_result;
};

} // namespace nfs::v4
