#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// CompletionFilter: which changes are waited for. · source: MS-SMB2 2.2.35
namespace notify_filter {
inline constexpr u32 file_name = 0x0000'0001;
inline constexpr u32 dir_name = 0x0000'0002;
inline constexpr u32 attributes = 0x0000'0004;
inline constexpr u32 size = 0x0000'0008;
inline constexpr u32 last_write = 0x0000'0010;
inline constexpr u32 last_access = 0x0000'0020;
inline constexpr u32 creation = 0x0000'0040;
inline constexpr u32 ea = 0x0000'0080;
inline constexpr u32 security = 0x0000'0100;
inline constexpr u32 stream_name = 0x0000'0200;
inline constexpr u32 stream_size = 0x0000'0400;
inline constexpr u32 stream_write = 0x0000'0800;
} // namespace notify_filter

/// Action of a FILE_NOTIFY_INFORMATION (smb2/info/names.hpp). · source: MS-FSCC 2.7.1
namespace notify_action {
inline constexpr u32 added = 1;
inline constexpr u32 removed = 2;
inline constexpr u32 modified = 3;
inline constexpr u32 renamed_old_name = 4;
inline constexpr u32 renamed_new_name = 5;
inline constexpr u32 added_stream = 6;
inline constexpr u32 removed_stream = 7;
inline constexpr u32 modified_stream = 8;
} // namespace notify_action

/// Waits for changes in a directory; answered when there are some. · source: MS-SMB2 2.2.35, 2.2.36
struct change_notify {
  static constexpr u16 number = 0x0F;
  static constexpr std::string_view name = "CHANGE_NOTIFY";
  static constexpr u16 flag_watch_tree = 0x0001;

  struct request {
    static constexpr std::string_view title = "CHANGE_NOTIFY request";

    u16 flags = 0;
    u32 output_buffer_length = 0;
    fileid file;
    u32 completion_filter = 0;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(32) &&
             ar("flags", m.flags, "output_buffer_length", m.output_buffer_length, "file", m.file,
                "completion_filter", m.completion_filter) &&
             ar.pad(4);
    }
  };

  struct response {
    static constexpr std::string_view title = "CHANGE_NOTIFY response";

    bytes buffer; ///< FILE_NOTIFY_INFORMATION list

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(9) && ar.offset16(0) && ar.length32(m.buffer, 0) &&
             ar.tail("buffer", m.buffer, 0);
    }
  };

  /// Answered when something happens: its latency is no service time.
  static bool long_wait(const request&) { return true; }
  static const fileid& file_id(const request& m) { return m.file; }
  static u32 credit_bytes(const request& m) { return m.output_buffer_length; }
};

} // namespace smb2
