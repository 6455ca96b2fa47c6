#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// What a server answers to an operation that it does not have.
/// Source: RFC 7530 section 16.38, RFC 8881 section 18.52.
struct illegal {
  static constexpr u32 procedure = 10044;
  static constexpr std::string_view name = "ILLEGAL";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
