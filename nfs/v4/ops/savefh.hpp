#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.30, RFC 8881 section 18.28.
struct savefh {
  static constexpr u32 procedure = 32;
  static constexpr std::string_view name = "SAVEFH";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
