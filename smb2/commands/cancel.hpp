#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Asks the server to give up a call. Never answered: the call itself is, with STATUS_CANCELLED.
/// It takes no credit and no MessageId; it carries that of the call, or the call's AsyncId.
/// · source: MS-SMB2 2.2.30, 3.2.4.24
struct cancel {
  static constexpr u16 number = 0x0C;
  static constexpr std::string_view name = "CANCEL";

  struct request {
    static constexpr std::string_view title = "CANCEL request";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };
};

} // namespace smb2
