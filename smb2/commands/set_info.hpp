#pragma once

#include "smb2/commands/query_info.hpp"
#include "smb2/le.hpp"

namespace smb2 {

/// Sets one information class of an open file: size, times, name, deletion (smb2/info).
/// · source: MS-SMB2 2.2.39, 2.2.40
struct set_info {
  static constexpr u16 number = 0x11;
  static constexpr std::string_view name = "SET_INFO";

  struct request {
    static constexpr std::string_view title = "SET_INFO request";

    info_type type = info_type::file;
    u8 file_info_class = 0;
    u32 additional_information = 0;
    fileid file;
    bytes buffer;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(33) && ar("type", m.type, "file_info_class", m.file_info_class) &&
             ar.length32(m.buffer, 0) && ar.offset16(0) && ar.pad(2) &&
             ar("additional_information", m.additional_information, "file", m.file) &&
             ar.tail("buffer", m.buffer, 0) && ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "SET_INFO response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(2); }
  };

  static const fileid& file_id(const request& m) { return m.file; }
  static u32 credit_bytes(const request& m) { return static_cast<u32>(m.buffer.size()); }
};

} // namespace smb2
