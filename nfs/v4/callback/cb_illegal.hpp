#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.13.
struct cb_illegal {
  static constexpr u32 procedure = 10044;
  static constexpr std::string_view name = "CB_ILLEGAL";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
