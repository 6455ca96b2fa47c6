#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.24, RFC 8881 section 18.23.
struct readdir {
  static constexpr u32 procedure = 26;
  static constexpr std::string_view name = "READDIR";

  struct args {
    u64 cookie = 0;
    verifier cookieverf{};
    u32 dircount = 0; ///< most bytes of names and cookies
    u32 maxcount = 0; ///< most bytes that the results may have
    bitmap attr_request;
    static bool fields(auto& m, auto& ar) {
      return ar("cookie", m.cookie, "cookieverf", m.cookieverf, "dircount", m.dircount, "maxcount",
                m.maxcount, "attr_request", m.attr_request);
    }
  };

  struct entry {
    u64 cookie = 0;
    std::string_view name;
    fattr attrs;
    static bool fields(auto& m, auto& ar) {
      return ar("cookie", m.cookie) && ar.text("name", m.name, component_bytes_max) &&
             ar("attrs", m.attrs);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    verifier cookieverf{};
    std::vector<entry> entries;
    bool eof = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("cookieverf", m.cookieverf) && ar.chain("entries", m.entries, entries_max) &&
               ar("eof", m.eof)));
    }
  };
};

} // namespace nfs::v4
