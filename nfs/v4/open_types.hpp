#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// How much a client that has the file delegated may write without asking.
/// Source: RFC 8881 section 18.16.2 (nfs_space_limit4).
struct space_limit {
  enum class by : u32 { size = 1, blocks = 2 };

  by limitby = by::size;
  u64 filesize = 0; ///< by size, bytes
  u32 num_blocks = 0;
  u32 bytes_per_block = 0;

  static bool fields(auto& m, auto& ar) {
    if (!ar("limitby", m.limitby)) return false;
    if (m.limitby == by::size) return ar("filesize", m.filesize);
    if (m.limitby == by::blocks)
      return ar("num_blocks", m.num_blocks, "bytes_per_block", m.bytes_per_block);
    return ar.refuse();
  }
};

/// Source: RFC 8881 section 18.16.2 (open_delegation_type4), RFC 9754 section 4.
enum class delegation_type : u32 {
  none = 0,
  read = 1,
  write = 2,
  none_ext = 3,
  read_attrs = 4,
  write_attrs = 5,
};

[[nodiscard]] std::string_view to_string(delegation_type type) noexcept;

/// Source: RFC 8881 section 18.16.2 (why_no_delegation4).
enum class why_no_delegation : u32 { contention = 1, resource = 2 };

/// open_delegation4.
struct open_delegation {
  delegation_type type = delegation_type::none;
  v4::stateid stateid;
  bool recall = false;
  v4::space_limit space_limit; ///< of a write delegation
  nfsace permissions;
  why_no_delegation why = why_no_delegation::contention; ///< none_ext
  bool server_will_tell = false; ///< none_ext: by CB_PUSH_DELEG or CB_RECALLABLE_OBJ_AVAIL

  static bool fields(auto& m, auto& ar) {
    if (!ar("type", m.type)) return false;
    switch (m.type) {
    case delegation_type::none:
      return true;
    case delegation_type::read:
    case delegation_type::read_attrs:
      return ar("stateid", m.stateid, "recall", m.recall, "permissions", m.permissions);
    case delegation_type::write:
    case delegation_type::write_attrs:
      return ar("stateid", m.stateid, "recall", m.recall, "space_limit", m.space_limit,
                "permissions", m.permissions);
    case delegation_type::none_ext:
      if (!ar("why", m.why)) return false;
      return (m.why != why_no_delegation::contention && m.why != why_no_delegation::resource) ||
             ar("server_will_tell", m.server_will_tell);
    }
    return ar.refuse();
  }
};

/// What a client opens a file by. Source: RFC 8881 section 18.16.1.
enum class claim_type : u32 {
  null = 0,
  previous = 1,
  delegate_cur = 2,
  delegate_prev = 3,
  fh = 4,
  deleg_cur_fh = 5,
  deleg_prev_fh = 6,
};

[[nodiscard]] std::string_view to_string(claim_type claim) noexcept;

} // namespace nfs::v4
