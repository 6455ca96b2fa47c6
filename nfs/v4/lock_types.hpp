#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.10.1.
enum class lock_type : u32 { read = 1, write = 2, readw = 3, writew = 4 };

[[nodiscard]] std::string_view to_string(lock_type type) noexcept;

/// The lock that stands in the way.
struct lock_denied {
  u64 offset = 0;
  u64 length = 0;
  lock_type locktype = lock_type::read;
  state_owner owner;

  static bool fields(auto& m, auto& ar) {
    return ar("offset", m.offset, "length", m.length, "locktype", m.locktype, "owner", m.owner);
  }
};

} // namespace nfs::v4
