#pragma once

#include "smb2/contexts/negotiate.hpp"
#include "smb2/le.hpp"

namespace smb2 {

/// SecurityMode of NEGOTIATE and SESSION_SETUP.
namespace security_mode {
inline constexpr u16 signing_enabled = 0x0001;
inline constexpr u16 signing_required = 0x0002;
} // namespace security_mode

/// Capabilities of NEGOTIATE, both ways.
namespace capability {
inline constexpr u32 dfs = 0x0000'0001;
inline constexpr u32 leasing = 0x0000'0002;
inline constexpr u32 large_mtu = 0x0000'0004; ///< multi-credit requests
inline constexpr u32 multi_channel = 0x0000'0008;
inline constexpr u32 persistent_handles = 0x0000'0010;
inline constexpr u32 directory_leasing = 0x0000'0020;
inline constexpr u32 encryption = 0x0000'0040;
} // namespace capability

/// Chooses the dialect; contexts only when 3.1.1 is among them. · source: MS-SMB2 2.2.3, 2.2.4
struct negotiate {
  static constexpr u16 number = 0x00;
  static constexpr std::string_view name = "NEGOTIATE";

  struct request {
    static constexpr std::string_view title = "NEGOTIATE request";

    u16 security_mode = 0;
    u32 capabilities = 0;
    guid client_guid{};
    std::vector<dialect> dialects;
    std::vector<negotiate_context> contexts;

    [[nodiscard]] bool has_contexts() const {
      return std::ranges::find(dialects, dialect::smb_3_1_1) != dialects.end();
    }

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(36) && ar.count16(m.dialects, 0) &&
             ar("security_mode", m.security_mode) && ar.pad(2) &&
             ar("capabilities", m.capabilities, "client_guid", m.client_guid) && ar.offset32(1) &&
             ar.count16(m.contexts, 1) && ar.pad(2) &&
             ar.list("dialects", m.dialects, 0, dialects_max) &&
             (!m.has_contexts() || negotiate_contexts(m.contexts, ar, 1));
    }
  };

  /// · units: sizes in bytes, times as FILETIME.
  struct response {
    static constexpr std::string_view title = "NEGOTIATE response";

    u16 security_mode = 0;
    dialect revision{};
    guid server_guid{};
    u32 capabilities = 0;
    u32 max_transact_size = 0;
    u32 max_read_size = 0;
    u32 max_write_size = 0;
    filetime system_time = 0;
    filetime server_start_time = 0;
    bytes security_buffer; ///< SPNEGO token: the mechanisms that the server takes
    std::vector<negotiate_context> contexts;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(65) &&
             ar("security_mode", m.security_mode, "revision", m.revision) &&
             ar.count16(m.contexts, 1) &&
             ar("server_guid", m.server_guid, "capabilities", m.capabilities, "max_transact_size",
                m.max_transact_size, "max_read_size", m.max_read_size, "max_write_size",
                m.max_write_size, "system_time", m.system_time, "server_start_time",
                m.server_start_time) &&
             ar.offset16(0) && ar.length16(m.security_buffer, 0) && ar.offset32(1) &&
             ar.tail("security_buffer", m.security_buffer, 0) &&
             (m.revision != dialect::smb_3_1_1 || negotiate_contexts(m.contexts, ar, 1));
    }
  };
};

} // namespace smb2
