#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Writes file data. · source: MS-SMB2 2.2.21, 2.2.22
struct write {
  static constexpr u16 number = 0x09;
  static constexpr std::string_view name = "WRITE";
  static constexpr u32 flag_write_through = 0x0000'0001; ///< stable before the response comes

  struct request {
    static constexpr std::string_view title = "WRITE request";

    u64 offset = 0;
    fileid file;
    u32 channel = 0; ///< see smb2/channel.hpp
    u32 remaining_bytes = 0;
    u32 flags = 0;
    bytes channel_info;
    part data;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(49) && ar.offset16(0) && ar.length32(m.data, 0) &&
             ar("offset", m.offset, "file", m.file, "channel", m.channel, "remaining_bytes",
                m.remaining_bytes) &&
             ar.offset16(1) && ar.length16(m.channel_info, 1) && ar("flags", m.flags) &&
             ar.tail("channel_info", m.channel_info, 1) && ar.tail("data", m.data, 0) &&
             ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "WRITE response";

    u32 count = 0; ///< bytes written
    u32 remaining = 0;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(17) && ar.pad(2) && ar("count", m.count, "remaining", m.remaining) &&
             ar.pad(4);
    }
  };

  static const fileid& file_id(const request& m) { return m.file; }
  static u64 offset(const request& m) { return m.offset; }
  static u32 data_bytes(const request& m) { return m.data.length; }
  static u32 credit_bytes(const request& m) { return m.data.length; }
};

} // namespace smb2
