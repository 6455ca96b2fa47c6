#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.29, RFC 8881 section 18.27.
struct restorefh {
  static constexpr u32 procedure = 31;
  static constexpr std::string_view name = "RESTOREFH";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
