#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// RequestedOplockLevel and OplockLevel.
namespace oplock {
inline constexpr u8 none = 0x00;
inline constexpr u8 level_ii = 0x01;
inline constexpr u8 exclusive = 0x08;
inline constexpr u8 batch = 0x09;
inline constexpr u8 lease = 0xFF;
} // namespace oplock

/// DesiredAccess and MaximalAccess, MS-SMB2 2.2.13.1.
namespace access {
inline constexpr u32 read_data = 0x0000'0001; ///< of a directory: list it
inline constexpr u32 write_data = 0x0000'0002;
inline constexpr u32 append_data = 0x0000'0004;
inline constexpr u32 read_attributes = 0x0000'0080;
inline constexpr u32 write_attributes = 0x0000'0100;
inline constexpr u32 remove = 0x0001'0000; ///< DELETE; renaming needs it too
inline constexpr u32 read_control = 0x0002'0000;
inline constexpr u32 synchronize = 0x0010'0000;
inline constexpr u32 maximum_allowed = 0x0200'0000;
} // namespace access

/// FileAttributes, MS-FSCC 2.6.
namespace attribute {
inline constexpr u32 read_only = 0x0000'0001;
inline constexpr u32 directory = 0x0000'0010;
inline constexpr u32 archive = 0x0000'0020;
inline constexpr u32 normal = 0x0000'0080;
inline constexpr u32 reparse_point = 0x0000'0400;
} // namespace attribute

namespace share_access {
inline constexpr u32 read = 1;
inline constexpr u32 write = 2;
inline constexpr u32 remove = 4;
inline constexpr u32 all = read | write | remove;
} // namespace share_access

enum class create_disposition : u32 {
  supersede = 0,
  open = 1,         ///< fails when it is not there
  create = 2,       ///< fails when it is there
  open_if = 3,      ///< opens or creates
  overwrite = 4,    ///< empties; fails when it is not there
  overwrite_if = 5, ///< empties or creates
};

namespace create_option {
inline constexpr u32 directory_file = 0x0000'0001;
inline constexpr u32 sequential_only = 0x0000'0004;
inline constexpr u32 non_directory_file = 0x0000'0040;
inline constexpr u32 delete_on_close = 0x0000'1000;
inline constexpr u32 open_reparse_point = 0x0020'0000;
} // namespace create_option

/// Opens or creates a file, a directory or a pipe. The name is relative to the share, with
/// backslashes and none in front. · source: MS-SMB2 2.2.13, 2.2.14
struct create {
  static constexpr u16 number = 0x05;
  static constexpr std::string_view name = "CREATE";

  struct request {
    static constexpr std::string_view title = "CREATE request";

    u8 requested_oplock_level = oplock::none;
    u32 impersonation_level = 2; ///< Impersonation
    u32 desired_access = 0;
    u32 file_attributes = 0;
    u32 share_access = 0;
    create_disposition disposition = create_disposition::open;
    u32 create_options = 0;
    utf16_view name;
    bytes contexts; ///< chain, see decode_create_contexts

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(57) && ar.pad(1) &&
             ar("requested_oplock_level", m.requested_oplock_level, "impersonation_level",
                m.impersonation_level) &&
             ar.pad(16) &&
             ar("desired_access", m.desired_access, "file_attributes", m.file_attributes,
                "share_access", m.share_access, "disposition", m.disposition, "create_options",
                m.create_options) &&
             ar.offset16(0) && ar.length16(m.name, 0) && ar.offset32(1) &&
             ar.length32(m.contexts, 1) && ar.tail("name", m.name, 0, 8) &&
             ar.tail("contexts", m.contexts, 1, 8) && ar.at_least_one_byte();
    }
  };

  /// · units: times as FILETIME, sizes in bytes.
  struct response {
    static constexpr std::string_view title = "CREATE response";

    u8 oplock_level = oplock::none;
    u8 flags = 0;
    u32 create_action = 0; ///< 0 superseded, 1 opened, 2 created, 3 overwritten
    filetime creation_time = 0;
    filetime last_access_time = 0;
    filetime last_write_time = 0;
    filetime change_time = 0;
    u64 allocation_size = 0;
    u64 end_of_file = 0;
    u32 file_attributes = 0;
    fileid file;
    bytes contexts; ///< chain, see decode_create_contexts

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(89) &&
             ar("oplock_level", m.oplock_level, "flags", m.flags, "create_action", m.create_action,
                "creation_time", m.creation_time, "last_access_time", m.last_access_time,
                "last_write_time", m.last_write_time, "change_time", m.change_time,
                "allocation_size", m.allocation_size, "end_of_file", m.end_of_file,
                "file_attributes", m.file_attributes) &&
             ar.pad(4) && ar("file", m.file) && ar.offset32(0) && ar.length32(m.contexts, 0) &&
             ar.tail("contexts", m.contexts, 0, 8);
    }
  };

  static const fileid& file_id(const response& m) { return m.file; }
  static bytes entry_name(const request& m) { return m.name.data; }
};

} // namespace smb2
