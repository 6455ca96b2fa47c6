#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Reads file data. · source: MS-SMB2 2.2.19, 2.2.20
struct read {
  static constexpr u16 number = 0x08;
  static constexpr std::string_view name = "READ";
  /// Where the data stands in a response that has nothing before it.
  static constexpr u8 data_offset = 0x50;
  static constexpr u8 flag_unbuffered = 0x01;         ///< 3.0.2 and later
  static constexpr u8 flag_request_compressed = 0x02; ///< 3.1.1

  struct request {
    static constexpr std::string_view title = "READ request";

    u8 padding = data_offset; ///< where the client would like the data to stand
    u8 flags = 0;
    u32 length = 0; ///< bytes wanted
    u64 offset = 0;
    fileid file;
    u32 minimum_count = 0;
    u32 channel = 0; ///< see smb2/channel.hpp
    u32 remaining_bytes = 0;
    bytes channel_info;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(49) &&
             ar("padding", m.padding, "flags", m.flags, "length", m.length, "offset", m.offset,
                "file", m.file, "minimum_count", m.minimum_count, "channel", m.channel,
                "remaining_bytes", m.remaining_bytes) &&
             ar.offset16(0) && ar.length16(m.channel_info, 0) &&
             ar.tail("channel_info", m.channel_info, 0) && ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "READ response";

    u32 data_remaining = 0;
    u32 flags = 0;
    part data;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(17) && ar.offset8(0) && ar.pad(1) && ar.length32(m.data, 0) &&
             ar("data_remaining", m.data_remaining, "flags", m.flags) && ar.tail("data", m.data, 0);
    }
  };

  /// Of a response of which the first 80 bytes are there: where its data starts and how long it
  /// says that is.
  struct data_place {
    u8 offset = 0; ///< from the header
    u32 length = 0;
  };
  static data_place place_of_data(bytes start) noexcept {
    return {.offset = wire::load_le<u8>(start.data() + header_bytes + 2),
            .length = wire::load_le<u32>(start.data() + header_bytes + 4)};
  }

  static const fileid& file_id(const request& m) { return m.file; }
  static u64 offset(const request& m) { return m.offset; }
  static u32 data_bytes(const response& m) { return m.data.length; }
  static u32 credit_bytes(const request& m) { return m.length; }
};

} // namespace smb2
