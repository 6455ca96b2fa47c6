#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.14.
struct rename {
  using program = nfs_program;
  static constexpr u32 procedure = 14;
  static constexpr std::string_view name = "RENAME";

  struct args {
    diropargs3 from;
    diropargs3 to;
    static bool fields(auto& m, auto& ar) { return ar("from", m.from, "to", m.to); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    wcc_data fromdir_wcc;
    wcc_data todir_wcc;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "fromdir_wcc", m.fromdir_wcc, "todir_wcc", m.todir_wcc);
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.from.dir; }
  static bytes entry_name(const args& a) noexcept { return wire::as_bytes(a.from.name); }
};

} // namespace nfs::v3
