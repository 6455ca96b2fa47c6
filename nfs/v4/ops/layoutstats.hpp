#pragma once

#include "nfs/v4/layout_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.7.
struct layoutstats {
  static constexpr u32 procedure = 65;
  static constexpr std::string_view name = "LAYOUTSTATS";

  struct io_info {
    u64 count = 0;
    u64 bytes_moved = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("count", m.count, "bytes_moved", m.bytes_moved);
    }
  };

  struct args {
    u64 offset = 0;
    u64 length = 0;
    v4::stateid stateid;
    io_info read;
    io_info write;
    v4::deviceid device{};
    layout_body layoutupdate;
    static bool fields(auto& m, auto& ar) {
      return ar("offset", m.offset, "length", m.length, "stateid", m.stateid, "read", m.read,
                "write", m.write, "device", m.device, "layoutupdate", m.layoutupdate);
    }
  };

  using reply = status_result;
};

} // namespace nfs::v4
