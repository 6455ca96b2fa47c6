#pragma once

#include "nfs/mount/types.hpp"

namespace nfs::mount {

/// Source: RFC 1813 section 5.2.4.
struct umntall {
  using program = mount_program;
  static constexpr u32 procedure = 4;
  static constexpr std::string_view name = "UMNTALL";

  using args = nothing;
  using reply = nothing;
};

} // namespace nfs::mount
