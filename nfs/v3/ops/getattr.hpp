#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.1.
struct getattr {
  using program = nfs_program;
  static constexpr u32 procedure = 1;
  static constexpr std::string_view name = "GETATTR";

  struct args {
    file_handle object;
    static bool fields(auto& m, auto& ar) { return ar("object", m.object); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    fattr3 obj_attributes;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat3::ok || ar("obj_attributes", m.obj_attributes));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.object; }
};

} // namespace nfs::v3
