#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.22, RFC 8881 section 18.21.
struct putrootfh {
  static constexpr u32 procedure = 24;
  static constexpr std::string_view name = "PUTROOTFH";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
