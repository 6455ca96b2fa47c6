#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.15.
struct link {
  using program = nfs_program;
  static constexpr u32 procedure = 15;
  static constexpr std::string_view name = "LINK";

  struct args {
    file_handle file;
    diropargs3 link;
    static bool fields(auto& m, auto& ar) { return ar("file", m.file, "link", m.link); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr file_attributes;
    wcc_data linkdir_wcc;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "file_attributes", m.file_attributes, "linkdir_wcc",
                m.linkdir_wcc);
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.file; }
};

} // namespace nfs::v3
