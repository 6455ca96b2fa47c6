#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Asks whether the server is there. · source: MS-SMB2 2.2.28, 2.2.29
struct echo {
  static constexpr u16 number = 0x0D;
  static constexpr std::string_view name = "ECHO";

  struct request {
    static constexpr std::string_view title = "ECHO request";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };

  struct response {
    static constexpr std::string_view title = "ECHO response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };
};

} // namespace smb2
