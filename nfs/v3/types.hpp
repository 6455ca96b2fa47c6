#pragma once

#include "nfs/file_handle.hpp"
#include "nfs/status.hpp"
#include "rpc/record_mark.hpp"
#include "rpc/xdr.hpp"
#include "wire/exchange.hpp"

#include <array>
#include <optional>
#include <string_view>

/// NFS version 3. Names are those of RFC 1813.
namespace nfs::v3 {

using rpc::nothing;
using wire::bytes;
using wire::u32;
using wire::u64;
using wire::u8;

struct nfs_program {
  static constexpr u32 number = 100003;
  static constexpr u32 version = 3;
  static constexpr auto protocol = wire::protocol::nfs3;
};

/// NFS3_FHSIZE. Source: RFC 1813 section 2.4.
inline constexpr u32 file_handle_bytes_max = 64;
/// The RFC leaves names and paths open. File systems stop at 255 characters (of up to 4 bytes) a
/// name and 4096 bytes a path.
inline constexpr u32 filename_bytes_max = 1024;
inline constexpr u32 path_bytes_max = 4096;
/// READ and WRITE carry at most what fits a record.
inline constexpr u32 data_bytes_max = rpc::data_bytes_max;
/// The smallest READDIR entry takes 24 bytes: no record holds more of them.
inline constexpr u32 entries_max = rpc::record_bytes_max / 24;

/// Source: RFC 1813 section 2.5 (nfs_fh3).
using file_handle = opaque_handle<file_handle_bytes_max>;

/// Source: RFC 1813 section 2.5 (ftype3).
enum class ftype3 : u32 { reg = 1, dir = 2, blk = 3, chr = 4, lnk = 5, sock = 6, fifo = 7 };

[[nodiscard]] std::string_view to_string(ftype3 type) noexcept;

/// Since 1970, on the server's clock.
struct nfstime3 {
  u32 seconds = 0;
  u32 nseconds = 0;

  friend bool operator==(const nfstime3&, const nfstime3&) = default;
  static bool fields(auto& m, auto& ar) { return ar("seconds", m.seconds, "nseconds", m.nseconds); }
};

/// Major and minor number of a device.
struct specdata3 {
  u32 specdata1 = 0;
  u32 specdata2 = 0;

  friend bool operator==(const specdata3&, const specdata3&) = default;
  static bool fields(auto& m, auto& ar) {
    return ar("specdata1", m.specdata1, "specdata2", m.specdata2);
  }
};

/// 84 bytes. `size` and `used` are bytes. Source: RFC 1813 section 2.5.
struct fattr3 {
  ftype3 type = ftype3::reg;
  u32 mode = 0;
  u32 nlink = 0;
  u32 uid = 0;
  u32 gid = 0;
  u64 size = 0;
  u64 used = 0;
  specdata3 rdev;
  u64 fsid = 0;
  u64 fileid = 0;
  nfstime3 atime;
  nfstime3 mtime;
  nfstime3 ctime;

  friend bool operator==(const fattr3&, const fattr3&) = default;
  static bool fields(auto& m, auto& ar) {
    return ar("type", m.type, "mode", m.mode, "nlink", m.nlink, "uid", m.uid, "gid", m.gid, "size",
              m.size, "used", m.used, "rdev", m.rdev, "fsid", m.fsid, "fileid", m.fileid, "atime",
              m.atime, "mtime", m.mtime, "ctime", m.ctime);
  }
};

using post_op_attr = std::optional<fattr3>;
using post_op_fh3 = std::optional<file_handle>;

/// What a client needs of the state before an operation to know whether its cache still holds.
struct wcc_attr {
  u64 size = 0;
  nfstime3 mtime;
  nfstime3 ctime;

  friend bool operator==(const wcc_attr&, const wcc_attr&) = default;
  static bool fields(auto& m, auto& ar) {
    return ar("size", m.size, "mtime", m.mtime, "ctime", m.ctime);
  }
};

/// Weak cache consistency: attributes before and after. Source: RFC 1813 section 2.6.
struct wcc_data {
  std::optional<wcc_attr> before;
  post_op_attr after;

  friend bool operator==(const wcc_data&, const wcc_data&) = default;
  static bool fields(auto& m, auto& ar) { return ar("before", m.before, "after", m.after); }
};

enum class time_how : u32 { dont_change = 0, set_to_server_time = 1, set_to_client_time = 2 };

[[nodiscard]] std::string_view to_string(time_how how) noexcept;

/// `time` is on the wire only with set_to_client_time.
struct set_time {
  time_how how = time_how::dont_change;
  nfstime3 time;

  friend bool operator==(const set_time&, const set_time&) = default;
  static bool fields(auto& m, auto& ar) {
    if (!ar("how", m.how)) return false;
    if (m.how > time_how::set_to_client_time) return ar.refuse();
    return m.how != time_how::set_to_client_time || ar("time", m.time);
  }
};

/// The attributes that a client sets; what is absent stays as it is.
struct sattr3 {
  std::optional<u32> mode;
  std::optional<u32> uid;
  std::optional<u32> gid;
  std::optional<u64> size;
  set_time atime;
  set_time mtime;

  friend bool operator==(const sattr3&, const sattr3&) = default;
  static bool fields(auto& m, auto& ar) {
    return ar("mode", m.mode, "uid", m.uid, "gid", m.gid, "size", m.size, "atime", m.atime, "mtime",
              m.mtime);
  }
};

/// An entry of a directory.
struct diropargs3 {
  file_handle dir;
  std::string_view name;

  static bool fields(auto& m, auto& ar) {
    return ar("dir", m.dir) && ar.text("name", m.name, filename_bytes_max);
  }
};

/// Opaque to the client: tells whether the server lost uncommitted data in between.
using writeverf3 = std::array<std::byte, 8>;
using createverf3 = std::array<std::byte, 8>;
using cookieverf3 = std::array<std::byte, 8>;

enum class stable_how : u32 { unstable = 0, data_sync = 1, file_sync = 2 };

[[nodiscard]] std::string_view to_string(stable_how how) noexcept;

/// Results of operations that change one object. Source: RFC 1813 sections 3.3.2, 3.3.12, 3.3.13.
struct wcc_result {
  nfsstat3 status = nfsstat3::ok;
  wcc_data wcc;

  static bool fields(auto& m, auto& ar) { return ar("status", m.status, "wcc", m.wcc); }
};

/// Results of operations that make an object. Source: RFC 1813 sections 3.3.8 to 3.3.11.
struct create_result {
  nfsstat3 status = nfsstat3::ok;
  post_op_fh3 obj; ///< servers may leave it out: then a LOOKUP finds it
  post_op_attr obj_attributes;
  wcc_data dir_wcc;

  static bool fields(auto& m, auto& ar) {
    if (!ar("status", m.status)) return false;
    if (m.status == nfsstat3::ok && !ar("obj", m.obj, "obj_attributes", m.obj_attributes))
      return false;
    return ar("dir_wcc", m.dir_wcc);
  }
};

} // namespace nfs::v3
