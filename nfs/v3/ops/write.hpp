#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Data that was not written FILE_SYNC is safe only when a COMMIT gives the same `verf`.
/// · lifetime: `data` is borrowed by the encoder, and a view of the message when decoded.
/// Source: RFC 1813 section 3.3.7.
struct write {
  using program = nfs_program;
  static constexpr u32 procedure = 7;
  static constexpr std::string_view name = "WRITE";

  struct args {
    file_handle file;
    u64 offset = 0;
    u32 count = 0; ///< must be the size of `data`
    stable_how stable = stable_how::unstable;
    bytes data;
    static bool fields(auto& m, auto& ar) {
      return ar("file", m.file, "offset", m.offset, "count", m.count, "stable", m.stable) &&
             ar.payload("data", m.data, data_bytes_max);
    }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    wcc_data file_wcc;
    u32 count = 0; ///< may be less than was sent
    stable_how committed = stable_how::unstable;
    writeverf3 verf{};
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "file_wcc", m.file_wcc) &&
             (m.status != nfsstat3::ok ||
              ar("count", m.count, "committed", m.committed, "verf", m.verf));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.file; }
  static u64 offset(const args& a) noexcept { return a.offset; }
  static u32 data_bytes(const args& a) noexcept { return a.count; }
};

} // namespace nfs::v3
