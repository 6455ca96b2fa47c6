#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.9.
struct mkdir {
  using program = nfs_program;
  static constexpr u32 procedure = 9;
  static constexpr std::string_view name = "MKDIR";

  struct args {
    diropargs3 where;
    sattr3 attributes;
    static bool fields(auto& m, auto& ar) {
      return ar("where", m.where, "attributes", m.attributes);
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
