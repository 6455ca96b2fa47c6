#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// InfoType of QUERY_INFO and SET_INFO.
enum class info_type : u8 { file = 0x01, filesystem = 0x02, security = 0x03, quota = 0x04 };

/// Asks for one information class of an open file or its file system (smb2/info).
/// · source: MS-SMB2 2.2.37, 2.2.38
struct query_info {
  static constexpr u16 number = 0x10;
  static constexpr std::string_view name = "QUERY_INFO";

  struct request {
    static constexpr std::string_view title = "QUERY_INFO request";

    info_type type = info_type::file;
    u8 file_info_class = 0;
    u32 output_buffer_length = 0;
    u32 additional_information = 0;
    u32 flags = 0;
    fileid file;
    bytes input;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(41) &&
             ar("type", m.type, "file_info_class", m.file_info_class, "output_buffer_length",
                m.output_buffer_length) &&
             ar.offset16(0) && ar.pad(2) && ar.length32(m.input, 0) &&
             ar("additional_information", m.additional_information, "flags", m.flags, "file",
                m.file) &&
             ar.tail("input", m.input, 0) && ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "QUERY_INFO response";

    bytes buffer;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(9) && ar.offset16(0) && ar.length32(m.buffer, 0) &&
             ar.tail("buffer", m.buffer, 0);
    }
  };

  static const fileid& file_id(const request& m) { return m.file; }
  static u32 credit_bytes(const request& m) {
    return std::max(static_cast<u32>(m.input.size()), m.output_buffer_length);
  }
};

} // namespace smb2
