#pragma once

#include "nfs/mount/types.hpp"
#include "rpc/auth.hpp"

namespace nfs::mount {

/// Source: RFC 1813 section 5.2.1.
struct mnt {
  using program = mount_program;
  static constexpr u32 procedure = 1;
  static constexpr std::string_view name = "MNT";

  using args = dirpath;

  struct reply {
    mountstat3 status = mountstat3::ok;
    file_handle fhandle;
    std::vector<rpc::auth_flavor> auth_flavors; ///< the server's choice, best first
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != mountstat3::ok ||
              (ar("fhandle", m.fhandle) && ar.array("auth_flavors", m.auth_flavors, flavors_max)));
    }
  };

  static const file_handle* result(const reply& r) noexcept {
    return r.fhandle.empty() ? nullptr : &r.fhandle;
  }
};

} // namespace nfs::mount
