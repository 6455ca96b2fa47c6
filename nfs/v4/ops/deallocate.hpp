#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.4.
struct deallocate {
  static constexpr u32 procedure = 62;
  static constexpr std::string_view name = "DEALLOCATE";

  using args = range_args;
  using reply = status_result;
};

} // namespace nfs::v4
