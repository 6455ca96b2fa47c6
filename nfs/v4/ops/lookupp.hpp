#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// The directory above.
/// Source: RFC 7530 section 16.14, RFC 8881 section 18.14.
struct lookupp {
  static constexpr u32 procedure = 16;
  static constexpr std::string_view name = "LOOKUPP";

  using args = nothing;
  using reply = status_result;
};

} // namespace nfs::v4
