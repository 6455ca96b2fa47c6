#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Properties of a file system.
namespace fsf {
inline constexpr u32 link = 0x01;
inline constexpr u32 symlink = 0x02;
inline constexpr u32 homogeneous = 0x08;
inline constexpr u32 cansettime = 0x10;
} // namespace fsf

/// Source: RFC 1813 section 3.3.19.
struct fsinfo {
  using program = nfs_program;
  static constexpr u32 procedure = 19;
  static constexpr std::string_view name = "FSINFO";

  struct args {
    file_handle fsroot;
    static bool fields(auto& m, auto& ar) { return ar("fsroot", m.fsroot); }
  };

  /// Bytes: most, preferred and multiple of a READ (rt), a WRITE (wt); preferred of a READDIR (dt).
  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr obj_attributes;
    u32 rtmax = 0;
    u32 rtpref = 0;
    u32 rtmult = 0;
    u32 wtmax = 0;
    u32 wtpref = 0;
    u32 wtmult = 0;
    u32 dtpref = 0;
    u64 maxfilesize = 0;
    nfstime3 time_delta;
    u32 properties = 0; ///< fsf bits
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "obj_attributes", m.obj_attributes) &&
             (m.status != nfsstat3::ok ||
              ar("rtmax", m.rtmax, "rtpref", m.rtpref, "rtmult", m.rtmult, "wtmax", m.wtmax,
                 "wtpref", m.wtpref, "wtmult", m.wtmult, "dtpref", m.dtpref, "maxfilesize",
                 m.maxfilesize, "time_delta", m.time_delta, "properties", m.properties));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.fsroot; }
};

} // namespace nfs::v3
