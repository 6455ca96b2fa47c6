#pragma once

#include "smb2/info/classes.hpp"
#include "smb2/info/entries.hpp"

/// What QUERY_DIRECTORY returns: entries chained by NextEntryOffset, each at a multiple of 8.
/// · units: times as FILETIME, sizes in bytes. · lifetime: names are views into the buffer.
namespace smb2 {

/// · source: MS-FSCC 2.4 FileDirectoryInformation
struct file_directory_information {
  static constexpr std::string_view title = "FileDirectoryInformation";
  static constexpr u8 info_class = file_info::directory;

  u32 next_entry_offset = 0;
  u32 file_index = 0;
  filetime creation_time = 0;
  filetime last_access_time = 0;
  filetime last_write_time = 0;
  filetime change_time = 0;
  u64 end_of_file = 0;
  u64 allocation_size = 0;
  u32 file_attributes = 0;
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) && ar.run("file_name", m.file_name, 0);
  }

  /// What all classes but FileNamesInformation start with.
  static bool common(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "file_index", m.file_index, "creation_time",
              m.creation_time, "last_access_time", m.last_access_time, "last_write_time",
              m.last_write_time, "change_time", m.change_time, "end_of_file", m.end_of_file,
              "allocation_size", m.allocation_size, "file_attributes", m.file_attributes) &&
           ar.length32(m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4 FileFullDirectoryInformation
struct file_full_directory_information : file_directory_information {
  static constexpr std::string_view title = "FileFullDirectoryInformation";
  static constexpr u8 info_class = file_info::full_directory;

  u32 ea_size = 0;

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) && ar("ea_size", m.ea_size) && ar.run("file_name", m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4 FileIdFullDirectoryInformation
struct file_id_full_directory_information : file_full_directory_information {
  static constexpr std::string_view title = "FileIdFullDirectoryInformation";
  static constexpr u8 info_class = file_info::id_full_directory;

  u64 file_id = 0;

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) && ar("ea_size", m.ea_size) && ar.pad(4) && ar("file_id", m.file_id) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4 FileIdExtdDirectoryInformation
struct file_id_extd_directory_information : file_full_directory_information {
  static constexpr std::string_view title = "FileIdExtdDirectoryInformation";
  static constexpr u8 info_class = file_info::id_extd_directory;

  u32 reparse_point_tag = 0;
  std::array<std::byte, 16> file_id{};

  static bool fields(auto& m, auto& ar) {
    return common(m, ar) &&
           ar("ea_size", m.ea_size, "reparse_point_tag", m.reparse_point_tag, "file_id",
              m.file_id) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// The same with the name of 8.3 characters. · source: MS-FSCC 2.4.8
struct file_both_directory_information : file_full_directory_information {
  static constexpr std::string_view title = "FileBothDirectoryInformation";
  static constexpr u8 info_class = file_info::both_directory;

  u8 short_name_bytes = 0;
  std::array<std::byte, 24> short_name{};

  static bool fields(auto& m, auto& ar) {
    return with_short_name(m, ar) && ar.run("file_name", m.file_name, 0);
  }

  static bool with_short_name(auto& m, auto& ar) {
    return common(m, ar) && ar("ea_size", m.ea_size, "short_name_bytes", m.short_name_bytes) &&
           ar.pad(1) && ar("short_name", m.short_name);
  }
};

/// The same with the number by which the server knows the file. · source: MS-FSCC 2.4.17
struct file_id_both_directory_information : file_both_directory_information {
  static constexpr std::string_view title = "FileIdBothDirectoryInformation";
  static constexpr u8 info_class = file_info::id_both_directory;

  u64 file_id = 0;

  static bool fields(auto& m, auto& ar) {
    return with_short_name(m, ar) && ar.pad(2) && ar("file_id", m.file_id) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4.28
struct file_names_information {
  static constexpr std::string_view title = "FileNamesInformation";
  static constexpr u8 info_class = file_info::names;

  u32 next_entry_offset = 0;
  u32 file_index = 0;
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "file_index", m.file_index) &&
           ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

} // namespace smb2
