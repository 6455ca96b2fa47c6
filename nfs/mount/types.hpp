#pragma once

#include "nfs/status.hpp"
#include "nfs/v3/types.hpp"
#include "rpc/xdr.hpp"
#include "wire/exchange.hpp"

#include <string_view>
#include <vector>

/// MOUNT version 3: gives the file handle of an export's root. Source: RFC 1813 appendix I.
namespace nfs::mount {

using rpc::nothing;
using v3::file_handle;
using wire::u32;

struct mount_program {
  static constexpr u32 number = 100005;
  static constexpr u32 version = 3;
  static constexpr auto protocol = wire::protocol::mount;
};

/// MNTPATHLEN and MNTNAMLEN. Source: RFC 1813 section 5.1.4.
inline constexpr u32 path_bytes_max = 1024;
inline constexpr u32 name_bytes_max = 255;
/// No limits in the RFC. Servers offer a handful of flavours; lists of a million are no lists.
inline constexpr u32 flavors_max = 64;
inline constexpr u32 list_max = 1u << 20;

/// A path on the server.
struct dirpath {
  std::string_view path;
  static bool fields(auto& m, auto& ar) { return ar.text("dirpath", m.path, path_bytes_max); }
};

struct group_name {
  static constexpr bool is_one_value = true;
  std::string_view name;
  static bool fields(auto& m, auto& ar) { return ar.text("", m.name, name_bytes_max); }
};

} // namespace nfs::mount
