#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Does nothing: measures the round trip and finds out whether the server is there.
/// Source: RFC 1813 section 3.3.0.
struct null {
  using program = nfs_program;
  static constexpr u32 procedure = 0;
  static constexpr std::string_view name = "NULL";

  using args = nothing;
  using reply = nothing;
};

} // namespace nfs::v3
