#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Puts what was written on stable storage. · source: MS-SMB2 2.2.17, 2.2.18
struct flush {
  static constexpr u16 number = 0x07;
  static constexpr std::string_view name = "FLUSH";

  struct request {
    static constexpr std::string_view title = "FLUSH request";

    fileid file;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(24) && ar.pad(6) && ar("file", m.file);
    }
  };

  struct response {
    static constexpr std::string_view title = "FLUSH response";

    static bool fields(auto&, auto& ar) { return ar.structure_size(4) && ar.pad(2); }
  };

  static const fileid& file_id(const request& m) { return m.file; }
};

} // namespace smb2
