#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// SessionFlags of the response.
namespace session_flag {
inline constexpr u16 is_guest = 0x0001;
inline constexpr u16 is_null = 0x0002;
inline constexpr u16 encrypt_data = 0x0004;
} // namespace session_flag

/// Carries the tokens of the authentication, one round trip each. · source: MS-SMB2 2.2.5, 2.2.6
struct session_setup {
  static constexpr u16 number = 0x01;
  static constexpr std::string_view name = "SESSION_SETUP";

  struct request {
    static constexpr std::string_view title = "SESSION_SETUP request";
    static constexpr u8 flag_binding = 0x01;

    u8 flags = 0;
    u8 security_mode = 0;
    u32 capabilities = 0;
    u32 channel = 0;
    u64 previous_session_id = 0;
    bytes security_buffer;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(25) &&
             ar("flags", m.flags, "security_mode", m.security_mode, "capabilities", m.capabilities,
                "channel", m.channel) &&
             ar.offset16(0) && ar.length16(m.security_buffer, 0) &&
             ar("previous_session_id", m.previous_session_id) &&
             ar.tail("security_buffer", m.security_buffer, 0) && ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "SESSION_SETUP response";

    u16 session_flags = 0;
    bytes security_buffer;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(9) && ar("session_flags", m.session_flags) && ar.offset16(0) &&
             ar.length16(m.security_buffer, 0) && ar.tail("security_buffer", m.security_buffer, 0);
    }
  };
};

} // namespace smb2
