#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Lists a directory, as many entries a call as the buffer holds; STATUS_NO_MORE_FILES ends it.
/// · source: MS-SMB2 2.2.33, 2.2.34
struct query_directory {
  static constexpr u16 number = 0x0E;
  static constexpr std::string_view name = "QUERY_DIRECTORY";
  static constexpr u8 flag_restart_scans = 0x01;
  static constexpr u8 flag_return_single_entry = 0x02;
  static constexpr u8 flag_index_specified = 0x04;
  static constexpr u8 flag_reopen = 0x10;

  struct request {
    static constexpr std::string_view title = "QUERY_DIRECTORY request";

    u8 information_class = 0; ///< see smb2/info/directory.hpp
    u8 flags = 0;
    u32 file_index = 0;
    fileid file;
    u32 output_buffer_length = 0;
    utf16_view file_name; ///< the pattern; "*" for all

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(33) &&
             ar("information_class", m.information_class, "flags", m.flags, "file_index",
                m.file_index, "file", m.file) &&
             ar.offset16(0) && ar.length16(m.file_name, 0) &&
             ar("output_buffer_length", m.output_buffer_length) &&
             ar.tail("file_name", m.file_name, 0) && ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "QUERY_DIRECTORY response";

    bytes buffer;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(9) && ar.offset16(0) && ar.length32(m.buffer, 0) &&
             ar.tail("buffer", m.buffer, 0);
    }
  };

  static const fileid& file_id(const request& m) { return m.file; }
  static bytes entry_name(const request& m) { return m.file_name.data; }
  static u32 credit_bytes(const request& m) { return m.output_buffer_length; }
};

} // namespace smb2
