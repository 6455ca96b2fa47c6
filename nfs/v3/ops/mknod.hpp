#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.11.
struct mknod {
  using program = nfs_program;
  static constexpr u32 procedure = 11;
  static constexpr std::string_view name = "MKNOD";

  struct args {
    diropargs3 where;
    ftype3 type = ftype3::fifo;
    sattr3 attributes; ///< devices, sockets and pipes only
    specdata3 spec;    ///< devices only
    static bool fields(auto& m, auto& ar) {
      if (!ar("where", m.where, "type", m.type)) return false;
      switch (m.type) {
      case ftype3::chr:
      case ftype3::blk:
        return ar("attributes", m.attributes, "spec", m.spec);
      case ftype3::sock:
      case ftype3::fifo:
        return ar("attributes", m.attributes);
      default:
        return true;
      }
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
