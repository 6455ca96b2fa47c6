#pragma once

#include "wire/bytes.hpp"

#include <string_view>
#include <system_error>

namespace nfs {

/// Source: RFC 1813 section 2.6.
enum class nfsstat3 : wire::u32 {
  ok = 0,
  perm = 1,
  noent = 2,
  io = 5,
  nxio = 6,
  acces = 13,
  exist = 17,
  xdev = 18,
  nodev = 19,
  notdir = 20,
  isdir = 21,
  inval = 22,
  fbig = 27,
  nospc = 28,
  rofs = 30,
  mlink = 31,
  nametoolong = 63,
  notempty = 66,
  dquot = 69,
  stale = 70,
  remote = 71,
  badhandle = 10001,
  not_sync = 10002,
  bad_cookie = 10003,
  notsupp = 10004,
  toosmall = 10005,
  serverfault = 10006,
  badtype = 10007,
  jukebox = 10008,
};

/// Source: RFC 1813 section 5.1.5.
enum class mountstat3 : wire::u32 {
  ok = 0,
  perm = 1,
  noent = 2,
  io = 5,
  acces = 13,
  notdir = 20,
  inval = 22,
  nametoolong = 63,
  notsupp = 10004,
  serverfault = 10006,
};

/// The specification's name, "NFS3ERR_NOENT"; "unknown" for a number that it does not have.
[[nodiscard]] std::string_view to_string(nfsstat3 status) noexcept;
[[nodiscard]] std::string_view to_string(mountstat3 status) noexcept;

/// In a few words, "no such file or directory"; empty for unknown numbers.
[[nodiscard]] std::string_view meaning(nfsstat3 status) noexcept;
[[nodiscard]] std::string_view meaning(mountstat3 status) noexcept;

[[nodiscard]] const std::error_category& nfsstat3_category() noexcept;
[[nodiscard]] const std::error_category& mountstat3_category() noexcept;

[[nodiscard]] std::error_code make_error_code(nfsstat3 status) noexcept;
[[nodiscard]] std::error_code make_error_code(mountstat3 status) noexcept;

} // namespace nfs

template <>
struct std::is_error_code_enum<nfs::nfsstat3> : std::true_type {};
template <>
struct std::is_error_code_enum<nfs::mountstat3> : std::true_type {};
