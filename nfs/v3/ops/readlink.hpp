#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.5.
struct readlink {
  using program = nfs_program;
  static constexpr u32 procedure = 5;
  static constexpr std::string_view name = "READLINK";

  struct args {
    file_handle symlink;
    static bool fields(auto& m, auto& ar) { return ar("symlink", m.symlink); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr symlink_attributes;
    std::string_view data;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "symlink_attributes", m.symlink_attributes) &&
             (m.status != nfsstat3::ok || ar.text("data", m.data, path_bytes_max));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.symlink; }
};

} // namespace nfs::v3
