#pragma once

#include "nfs/mount/types.hpp"

namespace nfs::mount {

/// Source: RFC 1813 section 5.2.0.
struct null {
  using program = mount_program;
  static constexpr u32 procedure = 0;
  static constexpr std::string_view name = "NULL";

  using args = nothing;
  using reply = nothing;
};

} // namespace nfs::mount
