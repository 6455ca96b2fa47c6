#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// From the directory of the saved handle into that of the current one.
/// Source: RFC 7530 section 16.27, RFC 8881 section 18.26.
struct rename {
  static constexpr u32 procedure = 29;
  static constexpr std::string_view name = "RENAME";

  struct args {
    std::string_view oldname;
    std::string_view newname;
    static bool fields(auto& m, auto& ar) {
      return ar.text("oldname", m.oldname, component_bytes_max) &&
             ar.text("newname", m.newname, component_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    change_info source_cinfo;
    change_info target_cinfo;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              ar("source_cinfo", m.source_cinfo, "target_cinfo", m.target_cinfo));
    }
  };
};

} // namespace nfs::v4
