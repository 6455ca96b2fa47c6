#pragma once

#include "nfs/v4/copy_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 16.1.
struct cb_offload {
  static constexpr u32 procedure = 15;
  static constexpr std::string_view name = "CB_OFFLOAD";

  struct args {
    file_handle object;
    v4::stateid stateid;
    nfsstat4 coa_status = nfsstat4::ok;
    write_response response; ///< ok
    u64 bytes_copied = 0;    ///< any other status
    static bool fields(auto& m, auto& ar) {
      return ar("object", m.object, "stateid", m.stateid, "coa_status", m.coa_status) &&
             (m.coa_status == nfsstat4::ok ? ar("response", m.response)
                                           : ar("bytes_copied", m.bytes_copied));
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
