#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Enters a share by its path \\server\share. · source: MS-SMB2 2.2.9, 2.2.10
struct tree_connect {
  static constexpr u16 number = 0x03;
  static constexpr std::string_view name = "TREE_CONNECT";

  struct request {
    static constexpr std::string_view title = "TREE_CONNECT request";

    static constexpr u16 flag_cluster_reconnect = 0x0001;
    static constexpr u16 flag_redirect_to_owner = 0x0002;
    static constexpr u16 flag_extension_present = 0x0004;

    u16 flags = 0; ///< 3.1.1 only
    utf16_view path;
    u16 context_count = 0; ///< with flag_extension_present, as `contexts`
    bytes contexts;        ///< tree connect contexts (remoted identity), to the end (2.2.9.1)

    static bool fields(auto& m, auto& ar) {
      if (!ar.structure_size(9) || !ar("flags", m.flags) || !ar.offset16(0) ||
          !ar.length16(m.path, 0))
        return false;
      if ((m.flags & flag_extension_present) == 0)
        return ar.tail("path", m.path, 0) && ar.at_least_one_byte();
      return ar.offset32(1) && ar("context_count", m.context_count) && ar.pad(10) &&
             ar.tail("path", m.path, 0) && ar.tail_to_end("contexts", m.contexts, 1, 8);
    }
  };

  struct response {
    static constexpr std::string_view title = "TREE_CONNECT response";
    static constexpr u8 disk = 0x01;
    static constexpr u8 pipe = 0x02;
    static constexpr u8 print = 0x03;
    static constexpr u32 flag_encrypt_data = 0x0000'8000;
    static constexpr u32 continuously_available = 0x0000'0010; ///< capabilities: persistent opens

    u8 share_type = disk;
    u32 share_flags = 0;
    u32 capabilities = 0;
    u32 maximal_access = 0;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(16) && ar("share_type", m.share_type) && ar.pad(1) &&
             ar("share_flags", m.share_flags, "capabilities", m.capabilities, "maximal_access",
                m.maximal_access);
    }
  };
};

} // namespace smb2
