#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Bits of ACCESS.
namespace access_right {
inline constexpr u32 read = 0x01;
inline constexpr u32 lookup = 0x02;
inline constexpr u32 modify = 0x04;
inline constexpr u32 extend = 0x08;
inline constexpr u32 remove = 0x10;
inline constexpr u32 execute = 0x20;
} // namespace access_right

/// Source: RFC 1813 section 3.3.4.
struct access {
  using program = nfs_program;
  static constexpr u32 procedure = 4;
  static constexpr std::string_view name = "ACCESS";

  struct args {
    file_handle object;
    u32 access = 0; ///< the rights asked for, access_right bits
    static bool fields(auto& m, auto& ar) { return ar("object", m.object, "access", m.access); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr obj_attributes;
    u32 access = 0; ///< those of them that are granted
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "obj_attributes", m.obj_attributes) &&
             (m.status != nfsstat3::ok || ar("access", m.access));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.object; }
};

} // namespace nfs::v3
