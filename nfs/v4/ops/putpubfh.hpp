#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.21, RFC 8881 section 18.20.
struct putpubfh {
  static constexpr u32 procedure = 23;
  static constexpr std::string_view name = "PUTPUBFH";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
