#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.43.
struct layoutget {
  static constexpr u32 procedure = 50;
  static constexpr std::string_view name = "LAYOUTGET";

  struct args {
    bool signal_layout_avail = false;
    layout_type type = layout_type::nfsv4_1_files;
    layout_iomode iomode = layout_iomode::read;
    u64 offset = 0;
    u64 length = 0;
    u64 minlength = 0;
    v4::stateid stateid;
    u32 maxcount = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("signal_layout_avail", m.signal_layout_avail, "type", m.type, "iomode", m.iomode,
                "offset", m.offset, "length", m.length, "minlength", m.minlength, "stateid",
                m.stateid, "maxcount", m.maxcount);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bool return_on_close = false;
    v4::stateid stateid;
    std::vector<layout> layouts;
    bool will_signal_layout_avail = false; ///< of LAYOUTTRYLATER
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat4::layouttrylater)
        return ar("will_signal_layout_avail", m.will_signal_layout_avail);
      return m.status != nfsstat4::ok ||
             (ar("return_on_close", m.return_on_close, "stateid", m.stateid) &&
              ar.array("layouts", m.layouts, list_items_max));
    }
  };
};

} // namespace nfs::v4
