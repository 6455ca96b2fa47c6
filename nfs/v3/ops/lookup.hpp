#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.3.
struct lookup {
  using program = nfs_program;
  static constexpr u32 procedure = 3;
  static constexpr std::string_view name = "LOOKUP";

  struct args {
    diropargs3 what;
    static bool fields(auto& m, auto& ar) { return ar("what", m.what); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    file_handle object;
    post_op_attr obj_attributes;
    post_op_attr dir_attributes;
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat3::ok && !ar("object", m.object, "obj_attributes", m.obj_attributes))
        return false;
      return ar("dir_attributes", m.dir_attributes);
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.what.dir; }
  static bytes entry_name(const args& a) noexcept { return wire::as_bytes(a.what.name); }
  static const file_handle* result(const reply& r) noexcept {
    return r.object.empty() ? nullptr : &r.object;
  }
};

} // namespace nfs::v3
