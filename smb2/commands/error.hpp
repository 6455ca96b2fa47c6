#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// What comes instead of a command's response when its status says so (see carries_response).
/// · bytes: 8, then the data; one zero byte when there is none.
/// · source: MS-SMB2 2.2.2
struct error_response {
  static constexpr std::string_view title = "ERROR response";

  u8 context_count = 0; ///< 3.1.1: how many error contexts the data holds
  bytes data;           ///< see smb2/contexts/error.hpp

  static bool fields(auto& m, auto& ar) {
    return ar.structure_size(9) && ar("context_count", m.context_count) && ar.pad(1) &&
           ar.length32(m.data, 0) && ar.run("data", m.data, 0) && ar.at_least_one_byte();
  }
};

} // namespace smb2
