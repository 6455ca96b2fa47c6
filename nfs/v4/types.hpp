#pragma once

#include "nfs/file_handle.hpp"
#include "nfs/v4/status.hpp"
#include "rpc/auth.hpp"
#include "rpc/record_mark.hpp"
#include "rpc/xdr.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

/// NFS version 4, minor versions 0 to 2. Names are those of RFC 7531, RFC 5662 and RFC 7863 (the
/// XDR of RFC 7530, RFC 8881 and RFC 7862) without their prefixes and number suffixes.
/// A union is a struct with all its arms; which of them is on the wire its discriminant says.
namespace nfs::v4 {

using rpc::nothing;
using wire::bytes;
using wire::u32;
using wire::u64;
using wire::u8;

struct nfs_program {
  static constexpr u32 number = 100003;
  static constexpr u32 version = 4;
};

/// NFS4_FHSIZE, NFS4_OPAQUE_LIMIT. Source: RFC 8881 section 3.1.
inline constexpr u32 file_handle_bytes_max = 128;
inline constexpr u32 opaque_bytes_max = 1024;
/// The RFC leaves these open; file systems stop at 255 characters (of up to 4 bytes) a name and
/// 4096 bytes a link.
inline constexpr u32 component_bytes_max = 1024;
inline constexpr u32 link_bytes_max = 4096;
/// netid and universal address.
inline constexpr u32 address_bytes_max = 256;
inline constexpr u32 tag_bytes_max = 1024;
/// READ and WRITE carry at most what fits a record.
inline constexpr u32 data_bytes_max = rpc::data_bytes_max;
/// Values of attributes, layouts and devices: access lists and long lists of locations fit.
inline constexpr u32 values_bytes_max = 1u << 20;
/// An extended attribute of Linux has at most 64 KiB.
inline constexpr u32 xattr_bytes_max = 1u << 16;
/// Lists of which the RFC does not say how long they are.
inline constexpr u32 list_items_max = 4096;
/// The smallest READDIR entry takes 28 bytes: no record holds more of them.
inline constexpr u32 entries_max = rpc::record_bytes_max / 28;

/// Source: RFC 8881 section 3.3.4 (nfs_fh4).
using file_handle = opaque_handle<file_handle_bytes_max>;

using verifier = std::array<std::byte, 8>;
using sessionid = std::array<std::byte, 16>;
using deviceid = std::array<std::byte, 16>;

/// A bit for each attribute, notification or operation, 32 to a word, the lowest first.
/// · bytes: at most 8 words; the last attribute that is known is in the third.
/// · source: RFC 8881 section 3.3.7 (bitmap4)
struct bitmap {
  static constexpr u32 words_max = 8;

  u32 size = 0; ///< words on the wire
  std::array<u32, words_max> words{};

  [[nodiscard]] bool has(u32 bit) const noexcept {
    return bit / 32 < size && (words[bit / 32] >> bit % 32 & 1u) != 0;
  }
  void set(u32 bit) noexcept {
    if (bit / 32 >= words_max) return;
    size = std::max(size, bit / 32 + 1);
    words[bit / 32] |= 1u << bit % 32;
  }

  friend bool operator==(const bitmap&, const bitmap&) = default;
  static bool fields(auto& m, auto& ar) {
    auto n = m.size;
    if (!ar("size", n)) return false;
    if (n > words_max) return ar.refuse();
    if constexpr (std::remove_reference_t<decltype(ar)>::decoding) m.size = n;
    for (u32 i = 0; i < n; ++i)
      if (!ar("word", m.words[i])) return false;
    return true;
  }
};

/// Attributes: which ones, and their values one behind the other in the order of their numbers
/// (nfs/v4/attributes.hpp takes them apart). Source: RFC 8881 section 3.3.9.
struct fattr {
  bitmap attrmask;
  bytes attr_vals;

  static bool fields(auto& m, auto& ar) {
    return ar("attrmask", m.attrmask) && ar.opaque("attr_vals", m.attr_vals, values_bytes_max);
  }
};

/// Source: RFC 8881 section 3.3.2.
enum class ftype : u32 {
  reg = 1,
  dir = 2,
  blk = 3,
  chr = 4,
  lnk = 5,
  sock = 6,
  fifo = 7,
  attrdir = 8,
  namedattr = 9,
};

[[nodiscard]] std::string_view to_string(ftype type) noexcept;

/// `seconds` since 1970 in two's complement. Source: RFC 8881 section 3.3.1.
struct nfstime {
  u64 seconds = 0;
  u32 nseconds = 0;

  friend bool operator==(const nfstime&, const nfstime&) = default;
  static bool fields(auto& m, auto& ar) { return ar("seconds", m.seconds, "nseconds", m.nseconds); }
};

/// Names a state (an open, a lock, a delegation, a layout) of the server.
/// Source: RFC 8881 section 3.3.12.
struct stateid {
  u32 seqid = 0;
  std::array<std::byte, 12> other{};

  friend bool operator==(const stateid&, const stateid&) = default;
  static bool fields(auto& m, auto& ar) { return ar("seqid", m.seqid, "other", m.other); }
};

/// How the change attribute of a directory moved. Source: RFC 8881 section 3.3.3.
struct change_info {
  bool atomic = false;
  u64 before = 0;
  u64 after = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("atomic", m.atomic, "before", m.before, "after", m.after);
  }
};

/// open_owner4, lock_owner4.
struct state_owner {
  u64 clientid = 0;
  bytes owner;

  static bool fields(auto& m, auto& ar) {
    return ar("clientid", m.clientid) && ar.opaque("owner", m.owner, opaque_bytes_max);
  }
};

struct netaddr {
  std::string_view netid;
  std::string_view addr;

  static bool fields(auto& m, auto& ar) {
    return ar.text("netid", m.netid, address_bytes_max) &&
           ar.text("addr", m.addr, address_bytes_max);
  }
};

enum class stable_how : u32 { unstable = 0, data_sync = 1, file_sync = 2 };

[[nodiscard]] std::string_view to_string(stable_how how) noexcept;

/// Source: RFC 8881 section 6.2.1.
struct nfsace {
  u32 type = 0;
  u32 flag = 0;
  u32 access_mask = 0;
  std::string_view who;

  static bool fields(auto& m, auto& ar) {
    return ar("type", m.type, "flag", m.flag, "access_mask", m.access_mask) &&
           ar.text("who", m.who, opaque_bytes_max);
  }
};

/// An item of a list of opaque data.
struct opaque_item {
  static constexpr bool is_one_value = true;
  bytes data;
  static bool fields(auto& m, auto& ar) { return ar.opaque("", m.data, xattr_bytes_max); }
};

struct text_item {
  static constexpr bool is_one_value = true;
  std::string_view text;
  static bool fields(auto& m, auto& ar) { return ar.text("", m.text, component_bytes_max); }
};

struct number_item {
  static constexpr bool is_one_value = true;
  u32 number = 0;
  static bool fields(auto& m, auto& ar) { return ar("", m.number); }
};

/// Results that are a status and no more.
struct status_result {
  nfsstat4 status = nfsstat4::ok;

  static bool fields(auto& m, auto& ar) { return ar("status", m.status); }
};

/// Results of operations that give a state.
struct stateid_result {
  nfsstat4 status = nfsstat4::ok;
  v4::stateid stateid;

  static bool fields(auto& m, auto& ar) {
    return ar("status", m.status) && (m.status != nfsstat4::ok || ar("stateid", m.stateid));
  }
};

/// Results of operations that change a directory or the attributes of one object.
struct change_result {
  nfsstat4 status = nfsstat4::ok;
  change_info cinfo;

  static bool fields(auto& m, auto& ar) {
    return ar("status", m.status) && (m.status != nfsstat4::ok || ar("cinfo", m.cinfo));
  }
};

/// A range of a file that a state stands for.
struct range_args {
  v4::stateid stateid;
  u64 offset = 0;
  u64 length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("stateid", m.stateid, "offset", m.offset, "length", m.length);
  }
};

} // namespace nfs::v4
