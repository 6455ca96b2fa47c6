#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 3.3.13 (layouttype4) and the registry of IANA.
enum class layout_type : u32 { nfsv4_1_files = 1, osd2_objects = 2, block_volume = 3, flex = 4 };

enum class layout_iomode : u32 { read = 1, rw = 2, any = 3 };

/// What a layout is given back or recalled for.
enum class layout_extent : u32 { file = 1, fsid = 2, all = 3 };

/// layoutupdate4, layout_content4, device_addr4: the layout type says what is in the body.
struct layout_body {
  layout_type type = layout_type::nfsv4_1_files;
  bytes body;

  static bool fields(auto& m, auto& ar) {
    return ar("type", m.type) && ar.opaque("body", m.body, values_bytes_max);
  }
};

/// Source: RFC 8881 section 3.3.19.
struct layout {
  u64 offset = 0;
  u64 length = 0;
  layout_iomode iomode = layout_iomode::read;
  layout_body content;

  static bool fields(auto& m, auto& ar) {
    return ar("offset", m.offset, "length", m.length, "iomode", m.iomode, "content", m.content);
  }
};

} // namespace nfs::v4
