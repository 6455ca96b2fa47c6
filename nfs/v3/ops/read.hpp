#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// A reply may hold fewer bytes than were asked for; `eof` tells the end of the file from that.
/// Source: RFC 1813 section 3.3.6.
struct read {
  using program = nfs_program;
  static constexpr u32 procedure = 6;
  static constexpr std::string_view name = "READ";

  struct args {
    file_handle file;
    u64 offset = 0;
    u32 count = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("file", m.file, "offset", m.offset, "count", m.count);
    }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr file_attributes;
    u32 count = 0;
    bool eof = false;
    bytes data;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "file_attributes", m.file_attributes) &&
             (m.status != nfsstat3::ok ||
              (ar("count", m.count, "eof", m.eof) && ar.payload("data", m.data, data_bytes_max)));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.file; }
  static u64 offset(const args& a) noexcept { return a.offset; }
  static u32 data_bytes(const reply& r) noexcept { return r.count; }
};

} // namespace nfs::v3
