#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.2.
struct setattr {
  using program = nfs_program;
  static constexpr u32 procedure = 2;
  static constexpr std::string_view name = "SETATTR";

  struct args {
    file_handle object;
    sattr3 new_attributes;
    std::optional<nfstime3> guard; ///< set only if this is still the object's ctime
    static bool fields(auto& m, auto& ar) {
      return ar("object", m.object, "new_attributes", m.new_attributes, "guard", m.guard);
    }
  };

  using reply = wcc_result;

  static const file_handle& object(const args& a) noexcept { return a.object; }
};

} // namespace nfs::v3
