#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.6.
struct layouterror {
  static constexpr u32 procedure = 64;
  static constexpr std::string_view name = "LAYOUTERROR";

  struct device_error {
    v4::deviceid device{};
    nfsstat4 status = nfsstat4::ok;
    u32 opnum = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("device", m.device, "status", m.status, "opnum", m.opnum);
    }
  };

  struct args {
    u64 offset = 0;
    u64 length = 0;
    v4::stateid stateid;
    std::vector<device_error> errors;
    static bool fields(auto& m, auto& ar) {
      return ar("offset", m.offset, "length", m.length, "stateid", m.stateid) &&
             ar.array("errors", m.errors, list_items_max);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
