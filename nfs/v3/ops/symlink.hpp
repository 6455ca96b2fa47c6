#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.10.
struct symlink {
  using program = nfs_program;
  static constexpr u32 procedure = 10;
  static constexpr std::string_view name = "SYMLINK";

  struct args {
    diropargs3 where;
    sattr3 symlink_attributes;
    std::string_view symlink_data; ///< the path that it leads to
    static bool fields(auto& m, auto& ar) {
      return ar("where", m.where, "symlink_attributes", m.symlink_attributes) &&
             ar.text("symlink_data", m.symlink_data, path_bytes_max);
    }
  };

  using reply = create_result;

  static const file_handle& object(const args& a) noexcept { return a.where.dir; }
  static bytes entry_name(const args& a) noexcept { return wire::as_bytes(a.where.name); }
  static const file_handle* result(const reply& r) noexcept {
    return r.obj && !r.obj->empty() ? &*r.obj : nullptr;
  }
};

} // namespace nfs::v3
