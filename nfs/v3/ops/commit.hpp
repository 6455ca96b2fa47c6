#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.21.
struct commit {
  using program = nfs_program;
  static constexpr u32 procedure = 21;
  static constexpr std::string_view name = "COMMIT";

  struct args {
    file_handle file;
    u64 offset = 0;
    u32 count = 0; ///< 0: to the end of the file
    static bool fields(auto& m, auto& ar) {
      return ar("file", m.file, "offset", m.offset, "count", m.count);
    }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    wcc_data file_wcc;
    writeverf3 verf{}; ///< other than that of the WRITEs: their data may be lost, send it again
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "file_wcc", m.file_wcc) &&
             (m.status != nfsstat3::ok || ar("verf", m.verf));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.file; }
  static u64 offset(const args& a) noexcept { return a.offset; }
};

} // namespace nfs::v3
