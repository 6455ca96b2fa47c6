#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.41.
struct getdevicelist {
  static constexpr u32 procedure = 48;
  static constexpr std::string_view name = "GETDEVICELIST";

  struct device_item {
    static constexpr bool is_one_value = true;
    deviceid id{};
    static bool fields(auto& m, auto& ar) { return ar("", m.id); }
  };

  struct args {
    layout_type type = layout_type::nfsv4_1_files;
    u32 maxdevices = 0;
    u64 cookie = 0;
    verifier cookieverf{};
    static bool fields(auto& m, auto& ar) {
      return ar("type", m.type, "maxdevices", m.maxdevices, "cookie", m.cookie, "cookieverf",
                m.cookieverf);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    u64 cookie = 0;
    verifier cookieverf{};
    std::vector<device_item> devices;
    bool eof = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("cookie", m.cookie, "cookieverf", m.cookieverf) &&
               ar.array("devices", m.devices, list_items_max) && ar("eof", m.eof)));
    }
  };
};

} // namespace nfs::v4
