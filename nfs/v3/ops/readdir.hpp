#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.16.
struct readdir {
  using program = nfs_program;
  static constexpr u32 procedure = 16;
  static constexpr std::string_view name = "READDIR";

  struct args {
    file_handle dir;
    u64 cookie = 0; ///< 0: from the start, else that of the last entry
    cookieverf3 cookieverf{};
    u32 count = 0; ///< most bytes that the reply may have
    static bool fields(auto& m, auto& ar) {
      return ar("dir", m.dir, "cookie", m.cookie, "cookieverf", m.cookieverf, "count", m.count);
    }
  };

  struct entry {
    u64 fileid = 0;
    std::string_view name;
    u64 cookie = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("fileid", m.fileid) && ar.text("name", m.name, filename_bytes_max) &&
             ar("cookie", m.cookie);
    }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr dir_attributes;
    cookieverf3 cookieverf{};
    std::vector<entry> entries;
    bool eof = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "dir_attributes", m.dir_attributes) &&
             (m.status != nfsstat3::ok ||
              (ar("cookieverf", m.cookieverf) && ar.chain("entries", m.entries, entries_max) &&
               ar("eof", m.eof)));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.dir; }
};

} // namespace nfs::v3
