#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.18.
struct fsstat {
  using program = nfs_program;
  static constexpr u32 procedure = 18;
  static constexpr std::string_view name = "FSSTAT";

  struct args {
    file_handle fsroot;
    static bool fields(auto& m, auto& ar) { return ar("fsroot", m.fsroot); }
  };

  /// Bytes and files: in all, free, free for this user. `invarsec`: seconds for which it holds.
  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr obj_attributes;
    u64 tbytes = 0;
    u64 fbytes = 0;
    u64 abytes = 0;
    u64 tfiles = 0;
    u64 ffiles = 0;
    u64 afiles = 0;
    u32 invarsec = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "obj_attributes", m.obj_attributes) &&
             (m.status != nfsstat3::ok ||
              ar("tbytes", m.tbytes, "fbytes", m.fbytes, "abytes", m.abytes, "tfiles", m.tfiles,
                 "ffiles", m.ffiles, "afiles", m.afiles, "invarsec", m.invarsec));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.fsroot; }
};

} // namespace nfs::v3
