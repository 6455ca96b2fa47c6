#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.13.
struct rmdir {
  using program = nfs_program;
  static constexpr u32 procedure = 13;
  static constexpr std::string_view name = "RMDIR";

  struct args {
    diropargs3 object;
    static bool fields(auto& m, auto& ar) { return ar("object", m.object); }
  };

  using reply = wcc_result;

  static const file_handle& object(const args& a) noexcept { return a.object.dir; }
  static bytes entry_name(const args& a) noexcept { return wire::as_bytes(a.object.name); }
};

} // namespace nfs::v3
