#pragma once

#include "nfs/mount/types.hpp"

namespace nfs::mount {

/// Who mounted what, as far as the server remembers.
/// Source: RFC 1813 section 5.2.2.
struct dump {
  using program = mount_program;
  static constexpr u32 procedure = 2;
  static constexpr std::string_view name = "DUMP";

  using args = nothing;

  struct entry {
    std::string_view hostname;
    std::string_view directory;
    static bool fields(auto& m, auto& ar) {
      return ar.text("hostname", m.hostname, name_bytes_max) &&
             ar.text("directory", m.directory, path_bytes_max);
    }
  };

  struct reply {
    std::vector<entry> mounts;
    static bool fields(auto& m, auto& ar) { return ar.chain("mounts", m.mounts, list_max); }
  };
};

} // namespace nfs::mount
