#pragma once

#include "nfs/mount/types.hpp"

namespace nfs::mount {

/// Source: RFC 1813 section 5.2.3.
struct umnt {
  using program = mount_program;
  static constexpr u32 procedure = 3;
  static constexpr std::string_view name = "UMNT";

  using args = dirpath;
  using reply = nothing;
};

} // namespace nfs::mount
