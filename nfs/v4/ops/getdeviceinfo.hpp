#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.40.
struct getdeviceinfo {
  static constexpr u32 procedure = 47;
  static constexpr std::string_view name = "GETDEVICEINFO";

  struct args {
    v4::deviceid device{};
    layout_type type = layout_type::nfsv4_1_files;
    u32 maxcount = 0;
    bitmap notify_types;
    static bool fields(auto& m, auto& ar) {
      return ar("device", m.device, "type", m.type, "maxcount", m.maxcount, "notify_types",
                m.notify_types);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    layout_body device_addr;
    bitmap notification;
    u32 mincount = 0; ///< of TOOSMALL
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status == nfsstat4::toosmall) return ar("mincount", m.mincount);
      return m.status != nfsstat4::ok ||
             ar("device_addr", m.device_addr, "notification", m.notification);
    }
  };
};

} // namespace nfs::v4
