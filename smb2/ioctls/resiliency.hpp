#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// FSCTL_LMR_REQUEST_RESILIENCY: the open is to outlive its connection. · bytes: 8
/// · units: ms · source: MS-SMB2 2.2.31.3
struct network_resiliency_request {
  static constexpr std::string_view title = "NETWORK_RESILIENCY request";

  u32 timeout = 0; ///< 0: the server's own

  static bool fields(auto& m, auto& ar) { return ar("timeout", m.timeout) && ar.pad(4); }
};

} // namespace smb2
