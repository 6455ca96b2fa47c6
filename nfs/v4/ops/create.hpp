#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Makes everything but regular files.
/// Source: RFC 7530 section 16.4, RFC 8881 section 18.4.
struct create {
  static constexpr u32 procedure = 6;
  static constexpr std::string_view name = "CREATE";

  struct args {
    ftype type = ftype::dir;
    std::string_view linkdata; ///< of a symbolic link
    u32 specdata1 = 0;         ///< of a device
    u32 specdata2 = 0;
    std::string_view objname;
    fattr createattrs;
    static bool fields(auto& m, auto& ar) {
      if (!ar("type", m.type)) return false;
      if (m.type == ftype::lnk && !ar.text("linkdata", m.linkdata, link_bytes_max)) return false;
      if ((m.type == ftype::blk || m.type == ftype::chr) &&
          !ar("specdata1", m.specdata1, "specdata2", m.specdata2))
        return false;
      return ar.text("objname", m.objname, component_bytes_max) && ar("createattrs", m.createattrs);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    change_info cinfo;
    bitmap attrset;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok || ar("cinfo", m.cinfo, "attrset", m.attrset));
    }
  };
};

} // namespace nfs::v4
