#pragma once

#include "smb2/le.hpp"

/// FSCTL_VALIDATE_NEGOTIATE_INFO: the check of NEGOTIATE by 3.0 and 3.0.2.
namespace smb2 {

/// What the client sent in NEGOTIATE, signed this time: input of FSCTL_VALIDATE_NEGOTIATE_INFO.
/// · source: MS-SMB2 2.2.31.4
struct validate_negotiate_info_request {
  static constexpr std::string_view title = "VALIDATE_NEGOTIATE_INFO request";

  u32 capabilities = 0;
  guid client_guid{};
  u16 security_mode = 0;
  std::vector<dialect> dialects;

  static bool fields(auto& m, auto& ar) {
    return ar("capabilities", m.capabilities, "client_guid", m.client_guid, "security_mode",
              m.security_mode) &&
           ar.count16(m.dialects, 0) && ar.list("dialects", m.dialects, 0, dialects_max);
  }
};

/// What the server answered to it. · bytes: 24 · source: MS-SMB2 2.2.32.6
struct validate_negotiate_info_response {
  static constexpr std::string_view title = "VALIDATE_NEGOTIATE_INFO response";

  u32 capabilities = 0;
  guid server_guid{};
  u16 security_mode = 0;
  dialect revision{};

  static bool fields(auto& m, auto& ar) {
    return ar("capabilities", m.capabilities, "server_guid", m.server_guid, "security_mode",
              m.security_mode, "revision", m.revision);
  }
};

} // namespace smb2
