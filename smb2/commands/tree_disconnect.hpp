#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Leaves a share; what is open on it is closed. · source: MS-SMB2 2.2.11, 2.2.12
struct tree_disconnect {
  static constexpr u16 number = 0x04;
  static constexpr std::string_view name = "TREE_DISCONNECT";

  struct request {
    static constexpr std::string_view title = "TREE_DISCONNECT request";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };

  struct response {
    static constexpr std::string_view title = "TREE_DISCONNECT response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };
};

} // namespace smb2
