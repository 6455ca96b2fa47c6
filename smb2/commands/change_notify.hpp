#pragma once

#include "smb2/le.hpp"

namespace smb2 {

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
