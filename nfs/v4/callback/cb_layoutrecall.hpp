#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 20.3.
struct cb_layoutrecall {
  static constexpr u32 procedure = 5;
  static constexpr std::string_view name = "CB_LAYOUTRECALL";

  struct args {
    layout_type type = layout_type::nfsv4_1_files;
    layout_iomode iomode = layout_iomode::any;
    bool changed = false;
    layout_extent recalled = layout_extent::file;
    file_handle object; ///< these four of one file
    u64 offset = 0;
    u64 length = 0;
    v4::stateid stateid;
    u64 fsid_major = 0; ///< of one file system
    u64 fsid_minor = 0;
    static bool fields(auto& m, auto& ar) {
      if (!ar("type", m.type, "iomode", m.iomode, "changed", m.changed, "recalled", m.recalled))
        return false;
      if (m.recalled == layout_extent::all) return true;
      if (m.recalled == layout_extent::fsid)
        return ar("fsid_major", m.fsid_major, "fsid_minor", m.fsid_minor);
      if (m.recalled != layout_extent::file) return ar.refuse();
      return ar("object", m.object, "offset", m.offset, "length", m.length, "stateid", m.stateid);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
