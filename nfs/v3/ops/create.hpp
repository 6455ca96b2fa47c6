#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

enum class createmode3 : u32 { unchecked = 0, guarded = 1, exclusive = 2 };

[[nodiscard]] std::string_view to_string(createmode3 mode) noexcept;

/// Source: RFC 1813 section 3.3.8.
struct create {
  using program = nfs_program;
  static constexpr u32 procedure = 8;
  static constexpr std::string_view name = "CREATE";

  struct args {
    diropargs3 where;
    createmode3 mode = createmode3::unchecked;
    sattr3 obj_attributes; ///< unchecked and guarded only
    createverf3 verf{};    ///< exclusive only
    static bool fields(auto& m, auto& ar) {
      if (!ar("where", m.where, "mode", m.mode)) return false;
      if (m.mode > createmode3::exclusive) return ar.refuse();
      return m.mode == createmode3::exclusive ? ar("verf", m.verf)
                                              : ar("obj_attributes", m.obj_attributes);
    }
  };

  using reply = create_result;

  static const file_handle& object(const args& a) noexcept { return a.where.dir; }
  static bytes entry_name(const args& a) noexcept { return wire::as_bytes(a.where.name); }
  static const file_handle* result(const reply& r) noexcept {
    return r.obj && !r.obj->empty() ? &*r.obj : nullptr;
  }
};

} // namespace nfs::v3
