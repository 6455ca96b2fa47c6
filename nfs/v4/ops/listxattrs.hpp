#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8276 section 8.4.3.
struct listxattrs {
  static constexpr u32 procedure = 74;
  static constexpr std::string_view name = "LISTXATTRS";

  struct args {
    u64 cookie = 0;
    u32 maxcount = 0;
    static bool fields(auto& m, auto& ar) { return ar("cookie", m.cookie, "maxcount", m.maxcount); }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u64 cookie = 0;
    std::vector<text_item> names;
    bool eof = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("cookie", m.cookie) && ar.array("names", m.names, list_items_max) &&
               ar("eof", m.eof)));
    }
  };
};

} // namespace nfs::v4
