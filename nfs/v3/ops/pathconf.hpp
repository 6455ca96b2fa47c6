#pragma once

#include "nfs/v3/types.hpp"

namespace nfs::v3 {

/// Source: RFC 1813 section 3.3.20.
struct pathconf {
  using program = nfs_program;
  static constexpr u32 procedure = 20;
  static constexpr std::string_view name = "PATHCONF";

  struct args {
    file_handle object;
    static bool fields(auto& m, auto& ar) { return ar("object", m.object); }
  };

  struct reply {
    nfsstat3 status = nfsstat3::ok;
    post_op_attr obj_attributes;
    u32 linkmax = 0;
    u32 name_max = 0;
    bool no_trunc = false;
    bool chown_restricted = false;
    bool case_insensitive = false;
    bool case_preserving = false;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status, "obj_attributes", m.obj_attributes) &&
             (m.status != nfsstat3::ok ||
              ar("linkmax", m.linkmax, "name_max", m.name_max, "no_trunc", m.no_trunc,
                 "chown_restricted", m.chown_restricted, "case_insensitive", m.case_insensitive,
                 "case_preserving", m.case_preserving));
    }
  };

  static const file_handle& object(const args& a) noexcept { return a.object; }
};

} // namespace nfs::v3
