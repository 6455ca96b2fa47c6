#pragma once

#include "nfs/mount/types.hpp"

namespace nfs::mount {

/// What the server offers.
/// Source: RFC 1813 section 5.2.5.
struct export_list {
  using program = mount_program;
  static constexpr u32 procedure = 5;
  static constexpr std::string_view name = "EXPORT";

  using args = nothing;

  struct entry {
    std::string_view directory;
    std::vector<group_name> groups; ///< who may mount it; none: everybody
    static bool fields(auto& m, auto& ar) {
      return ar.text("directory", m.directory, path_bytes_max) &&
             ar.chain("groups", m.groups, list_max);
    }
  };

  struct reply {
    std::vector<entry> exports;
    static bool fields(auto& m, auto& ar) { return ar.chain("exports", m.exports, list_max); }
  };
};

} // namespace nfs::mount
