#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.44.
struct layoutreturn {
  static constexpr u32 procedure = 51;
  static constexpr std::string_view name = "LAYOUTRETURN";

  struct args {
    bool reclaim = false;
    layout_type type = layout_type::nfsv4_1_files;
    layout_iomode iomode = layout_iomode::read;
    layout_extent returned = layout_extent::file;
    u64 offset = 0; ///< these four of one file
    u64 length = 0;
    v4::stateid stateid;
    bytes body;
    static bool fields(auto& m, auto& ar) {
      if (!ar("reclaim", m.reclaim, "type", m.type, "iomode", m.iomode, "returned", m.returned))
        return false;
      if (m.returned == layout_extent::fsid || m.returned == layout_extent::all) return true;
      if (m.returned != layout_extent::file) return ar.refuse();
      return ar("offset", m.offset, "length", m.length, "stateid", m.stateid) &&
             ar.opaque("body", m.body, values_bytes_max);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    std::optional<v4::stateid> stateid;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("stateid", m.stateid));
    }
  };
};

} // namespace nfs::v4
