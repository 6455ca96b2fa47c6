#pragma once

#include "smb2/info/classes.hpp"
#include "smb2/info/security.hpp"

/// What the POSIX extensions of Samba and Linux add to QUERY_INFO and QUERY_DIRECTORY.
/// · units: times as FILETIME, sizes in bytes.
/// · source: the SMB3 POSIX extensions (no MS specification); Linux fs/smb/client/smb2pdu.h
namespace smb2 {

/// What CREATE, QUERY_INFO and QUERY_DIRECTORY tell of a file.
struct posix_facts {
  filetime creation_time = 0;
  filetime last_access_time = 0;
  filetime last_write_time = 0;
  filetime change_time = 0;
  u64 end_of_file = 0;
  u64 allocation_size = 0;
  u32 file_attributes = 0;
  u64 inode = 0;
  u32 device_id = 0;
  u32 hard_links = 0;
  u32 reparse_tag = 0;
  u32 mode = 0;
  sid owner;
  sid group;

  static bool fields(auto& m, auto& ar) {
    return ar("creation_time", m.creation_time, "last_access_time", m.last_access_time,
              "last_write_time", m.last_write_time, "change_time", m.change_time, "end_of_file",
              m.end_of_file, "allocation_size", m.allocation_size, "file_attributes",
              m.file_attributes, "inode", m.inode, "device_id", m.device_id) &&
           ar.pad(4) &&
           ar("hard_links", m.hard_links, "reparse_tag", m.reparse_tag, "mode", m.mode, "owner",
              m.owner, "group", m.group);
  }
};

struct file_posix_information : posix_facts {
  static constexpr std::string_view title = "POSIX file information";
  static constexpr u8 info_class = file_info::posix;
};

/// An entry of a directory; walk them with entry_walker.
struct file_posix_directory_information {
  static constexpr std::string_view title = "POSIX directory information";
  static constexpr u8 info_class = file_info::posix;

  u32 next_entry_offset = 0;
  posix_facts facts;
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset) && ar.pad(4) && ar("facts", m.facts) &&
           ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

/// Of the file system. · bytes: 56
struct file_fs_posix_information {
  static constexpr std::string_view title = "POSIX file system information";
  static constexpr u8 info_class = fs_info::posix;

  u32 optimal_transfer_size = 0;
  u32 block_size = 0;
  u64 total_blocks = 0;
  u64 blocks_available = 0;
  u64 user_blocks_available = 0;
  u64 total_file_nodes = 0;
  u64 free_file_nodes = 0;
  u64 file_system_identifier = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("optimal_transfer_size", m.optimal_transfer_size, "block_size", m.block_size,
              "total_blocks", m.total_blocks, "blocks_available", m.blocks_available,
              "user_blocks_available", m.user_blocks_available, "total_file_nodes",
              m.total_file_nodes, "free_file_nodes", m.free_file_nodes, "file_system_identifier",
              m.file_system_identifier);
  }
};

} // namespace smb2
