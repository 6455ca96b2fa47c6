#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Where a server of a copy is. Source: RFC 7862 section 4.2 (netloc4).
struct netloc {
  enum class kind : u32 { name = 1, url = 2, address = 3 };

  kind type = kind::name;
  std::string_view text; ///< name or URL
  netaddr addr;

  static bool fields(auto& m, auto& ar) {
    if (!ar("type", m.type)) return false;
    if (m.type == kind::address) return ar("addr", m.addr);
    if (m.type != kind::name && m.type != kind::url) return ar.refuse();
    return ar.text("text", m.text, link_bytes_max);
  }
};

/// What was written, or will be: then `callback_id` names the work under way.
/// Source: RFC 7862 section 15.2.2 (write_response4).
struct write_response {
  std::vector<stateid> callback_id; ///< at most one
  u64 count = 0;                    ///< bytes
  stable_how committed = stable_how::unstable;
  verifier writeverf{};

  static bool fields(auto& m, auto& ar) {
    return ar.array("callback_id", m.callback_id, 1) &&
           ar("count", m.count, "committed", m.committed, "writeverf", m.writeverf);
  }
};

} // namespace nfs::v4
