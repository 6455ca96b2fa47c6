#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Closes a file; can return its attributes as they are then. · source: MS-SMB2 2.2.15, 2.2.16
struct close {
  static constexpr u16 number = 0x06;
  static constexpr std::string_view name = "CLOSE";
  static constexpr u16 flag_postquery_attrib = 0x0001;

  struct request {
    static constexpr std::string_view title = "CLOSE request";

    u16 flags = 0;
    fileid file;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(24) && ar("flags", m.flags) && ar.pad(4) && ar("file", m.file);
    }
  };

  /// All zero unless the request asked for the attributes.
  struct response {
    static constexpr std::string_view title = "CLOSE response";

    u16 flags = 0;
    filetime creation_time = 0;
    filetime last_access_time = 0;
    filetime last_write_time = 0;
    filetime change_time = 0;
    u64 allocation_size = 0;
    u64 end_of_file = 0;
    u32 file_attributes = 0;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(60) && ar("flags", m.flags) && ar.pad(4) &&
             ar("creation_time", m.creation_time, "last_access_time", m.last_access_time,
                "last_write_time", m.last_write_time, "change_time", m.change_time,
                "allocation_size", m.allocation_size, "end_of_file", m.end_of_file,
                "file_attributes", m.file_attributes);
    }
  };

  static const fileid& file_id(const request& m) { return m.file; }
};

} // namespace smb2
