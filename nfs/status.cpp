#include "nfs/status.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace nfs {

namespace {

using wire::u32;

struct entry {
  u32 status;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array nfsstat3_table{
    entry{static_cast<u32>(nfsstat3::ok), "NFS3_OK", "success"},
    entry{static_cast<u32>(nfsstat3::perm), "NFS3ERR_PERM", "not the owner"},
    entry{static_cast<u32>(nfsstat3::noent), "NFS3ERR_NOENT", "no such file or directory"},
    entry{static_cast<u32>(nfsstat3::io), "NFS3ERR_IO", "I/O error on the server"},
    entry{static_cast<u32>(nfsstat3::nxio), "NFS3ERR_NXIO", "no such device or address"},
    entry{static_cast<u32>(nfsstat3::acces), "NFS3ERR_ACCES", "permission denied"},
    entry{static_cast<u32>(nfsstat3::exist), "NFS3ERR_EXIST", "it exists already"},
    entry{static_cast<u32>(nfsstat3::xdev), "NFS3ERR_XDEV", "a link across file systems"},
    entry{static_cast<u32>(nfsstat3::nodev), "NFS3ERR_NODEV", "no such device"},
    entry{static_cast<u32>(nfsstat3::notdir), "NFS3ERR_NOTDIR", "not a directory"},
    entry{static_cast<u32>(nfsstat3::isdir), "NFS3ERR_ISDIR", "it is a directory"},
    entry{static_cast<u32>(nfsstat3::inval), "NFS3ERR_INVAL",
          "an argument that the server does not take"},
    entry{static_cast<u32>(nfsstat3::fbig), "NFS3ERR_FBIG", "the file would be too large"},
    entry{static_cast<u32>(nfsstat3::nospc), "NFS3ERR_NOSPC", "no space left on the server"},
    entry{static_cast<u32>(nfsstat3::rofs), "NFS3ERR_ROFS", "the file system is read-only"},
    entry{static_cast<u32>(nfsstat3::mlink), "NFS3ERR_MLINK", "too many hard links"},
    entry{static_cast<u32>(nfsstat3::nametoolong), "NFS3ERR_NAMETOOLONG", "the name is too long"},
    entry{static_cast<u32>(nfsstat3::notempty), "NFS3ERR_NOTEMPTY", "the directory is not empty"},
    entry{static_cast<u32>(nfsstat3::dquot), "NFS3ERR_DQUOT", "the quota is used up"},
    entry{static_cast<u32>(nfsstat3::stale), "NFS3ERR_STALE", "the file handle's file is gone"},
    entry{static_cast<u32>(nfsstat3::remote), "NFS3ERR_REMOTE", "the file is on another server"},
    entry{static_cast<u32>(nfsstat3::badhandle), "NFS3ERR_BADHANDLE",
          "a file handle that the server did not make"},
    entry{static_cast<u32>(nfsstat3::not_sync), "NFS3ERR_NOT_SYNC",
          "the object changed since its attributes were read"},
    entry{static_cast<u32>(nfsstat3::bad_cookie), "NFS3ERR_BAD_COOKIE",
          "the directory changed while it was read"},
    entry{static_cast<u32>(nfsstat3::notsupp), "NFS3ERR_NOTSUPP", "the server does not support it"},
    entry{static_cast<u32>(nfsstat3::toosmall), "NFS3ERR_TOOSMALL",
          "the reply would not fit the size asked for"},
    entry{static_cast<u32>(nfsstat3::serverfault), "NFS3ERR_SERVERFAULT",
          "the server failed without a better name for it"},
    entry{static_cast<u32>(nfsstat3::badtype), "NFS3ERR_BADTYPE",
          "a type of file that the server does not make"},
    entry{static_cast<u32>(nfsstat3::jukebox), "NFS3ERR_JUKEBOX", "not now: try again later"},
};

constexpr std::array mountstat3_table{
    entry{static_cast<u32>(mountstat3::ok), "MNT3_OK", "success"},
    entry{static_cast<u32>(mountstat3::perm), "MNT3ERR_PERM", "not the owner"},
    entry{static_cast<u32>(mountstat3::noent), "MNT3ERR_NOENT", "no such export"},
    entry{static_cast<u32>(mountstat3::io), "MNT3ERR_IO", "I/O error on the server"},
    entry{static_cast<u32>(mountstat3::acces), "MNT3ERR_ACCES", "permission denied"},
    entry{static_cast<u32>(mountstat3::notdir), "MNT3ERR_NOTDIR", "not a directory"},
    entry{static_cast<u32>(mountstat3::inval), "MNT3ERR_INVAL",
          "an argument that the server does not take"},
    entry{static_cast<u32>(mountstat3::nametoolong), "MNT3ERR_NAMETOOLONG", "the path is too long"},
    entry{static_cast<u32>(mountstat3::notsupp), "MNT3ERR_NOTSUPP",
          "the server does not support it"},
    entry{static_cast<u32>(mountstat3::serverfault), "MNT3ERR_SERVERFAULT",
          "the server failed without a better name for it"},
};

template <std::size_t N>
constexpr entry find(const std::array<entry, N>& table, u32 status) noexcept {
  for (const auto& e : table)
    if (e.status == status) return e;
  return {status, "unknown", ""};
}

std::string sentence(const entry& e) {
  return e.meaning.empty() ? fmt::format("status {}", e.status)
                           : fmt::format("{} ({})", e.name, e.meaning);
}

struct nfsstat3_names final : std::error_category {
  const char* name() const noexcept override { return "nfs3"; }
  std::string message(int value) const override {
    return sentence(find(nfsstat3_table, static_cast<u32>(value)));
  }
};

struct mountstat3_names final : std::error_category {
  const char* name() const noexcept override { return "mount3"; }
  std::string message(int value) const override {
    return sentence(find(mountstat3_table, static_cast<u32>(value)));
  }
};

} // namespace

std::string_view to_string(nfsstat3 status) noexcept {
  return find(nfsstat3_table, static_cast<u32>(status)).name;
}

std::string_view to_string(mountstat3 status) noexcept {
  return find(mountstat3_table, static_cast<u32>(status)).name;
}

std::string_view meaning(nfsstat3 status) noexcept {
  return find(nfsstat3_table, static_cast<u32>(status)).meaning;
}

std::string_view meaning(mountstat3 status) noexcept {
  return find(mountstat3_table, static_cast<u32>(status)).meaning;
}

const std::error_category& nfsstat3_category() noexcept {
  static const nfsstat3_names category;
  return category;
}

const std::error_category& mountstat3_category() noexcept {
  static const mountstat3_names category;
  return category;
}

std::error_code make_error_code(nfsstat3 status) noexcept {
  return {static_cast<int>(status), nfsstat3_category()};
}

std::error_code make_error_code(mountstat3 status) noexcept {
  return {static_cast<int>(status), mountstat3_category()};
}

} // namespace nfs
