#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.1.
struct allocate {
  static constexpr u32 procedure = 59;
  static constexpr std::string_view name = "ALLOCATE";

  using args = range_args;
  using reply = status_result;
};

} // namespace nfs::v4
