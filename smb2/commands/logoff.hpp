#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Ends the session and all that is open in it. · source: MS-SMB2 2.2.7, 2.2.8
struct logoff {
  static constexpr u16 number = 0x02;
  static constexpr std::string_view name = "LOGOFF";

  struct request {
    static constexpr std::string_view title = "LOGOFF request";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };

  struct response {
    static constexpr std::string_view title = "LOGOFF response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };
};

} // namespace smb2
