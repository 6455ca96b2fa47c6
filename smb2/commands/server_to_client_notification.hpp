#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// What a server tells a client that asked for it (NEGOTIATE capability NOTIFICATIONS); there is no
/// request. MessageId is all ones. · source: MS-SMB2 2.2.44
struct server_to_client_notification {
  static constexpr u16 number = 0x13;
  static constexpr std::string_view name = "SERVER_TO_CLIENT_NOTIFICATION";
  static constexpr u32 session_closed = 0;

  struct response {
    static constexpr std::string_view title = "SERVER_TO_CLIENT_NOTIFICATION";

    u32 notification_type = session_closed;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(4) && ar.pad(2) && ar("notification_type", m.notification_type) &&
             ar.pad(4);
    }
  };
};

} // namespace smb2
