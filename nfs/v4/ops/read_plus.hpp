#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 7862 section 15.10.
struct read_plus {
  static constexpr u32 procedure = 68;
  static constexpr std::string_view name = "READ_PLUS";

  enum class content_type : u32 { data = 0, hole = 1 };

  struct content {
    content_type type = content_type::data;
    u64 offset = 0;
    bytes data;
    u64 length = 0; ///< of a hole
    static bool fields(auto& m, auto& ar) {
      if (!ar("type", m.type)) return false;
      if (m.type > content_type::hole) return ar.refuse();
      if (!ar("offset", m.offset)) return false;
      return m.type == content_type::hole ? ar("length", m.length)
                                          : ar.payload("data", m.data, data_bytes_max);
    }
  };

  struct args {
    v4::stateid stateid;
    u64 offset = 0;
    u32 count = 0;
    static bool fields(auto& m, auto& ar) {
      return ar("stateid", m.stateid, "offset", m.offset, "count", m.count);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    bool eof = false;
    std::vector<content> contents;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              (ar("eof", m.eof) && ar.array("contents", m.contents, list_items_max)));
    }
  };
};

} // namespace nfs::v4
