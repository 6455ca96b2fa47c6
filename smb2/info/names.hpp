#pragma once

#include "smb2/info/entries.hpp"
#include "smb2/info/file.hpp"

/// The classes of QUERY_INFO and SET_INFO that hold names. (FileRenameInformation:
/// smb2/info/file.hpp) · lifetime: names are views into the buffer.
namespace smb2 {

/// · bytes: 20 and the name of the new link · source: MS-FSCC 2.4 FileLinkInformation for SMB2
struct file_link_information {
  static constexpr std::string_view title = "FileLinkInformation";
  static constexpr u8 info_class = file_info::link;

  u8 replace_if_exists = 0;
  u64 root_directory = 0; ///< always 0 over the network
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("replace_if_exists", m.replace_if_exists) && ar.pad(7) &&
           ar("root_directory", m.root_directory) && ar.length32(m.file_name, 0) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// What the three classes of one name have in common.
struct one_name {
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

/// · source: MS-FSCC 2.4 FileNameInformation
struct file_name_information : one_name {
  static constexpr std::string_view title = "FileNameInformation";
  static constexpr u8 info_class = file_info::name;
};

/// The name of 8.3 characters. · source: MS-FSCC 2.4 FileAlternateNameInformation
struct file_alternate_name_information : one_name {
  static constexpr std::string_view title = "FileAlternateNameInformation";
  static constexpr u8 info_class = file_info::alternate_name;
};

/// 3.1.1 only. · source: MS-FSCC 2.4 FileNormalizedNameInformation
struct file_normalized_name_information : one_name {
  static constexpr std::string_view title = "FileNormalizedNameInformation";
  static constexpr u8 info_class = file_info::normalized_name;
};

/// One stream of a file; walk them with entry_walker. · source: MS-FSCC 2.4 FileStreamInformation
struct file_stream_information {
  static constexpr std::string_view title = "FileStreamInformation";
  static constexpr u8 info_class = file_info::stream;

  u32 next_entry_offset = 0;
  u64 stream_size = 0;
  u64 stream_allocation_size = 0;
  utf16_view stream_name; ///< "::$DATA", ":name:$DATA"

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset) && ar.length32(m.stream_name, 0) &&
           ar("stream_size", m.stream_size, "stream_allocation_size", m.stream_allocation_size) &&
           ar.run("stream_name", m.stream_name, 0);
  }
};

/// One change of a directory; walk them with entry_walker. · source: MS-FSCC 2.7.1
struct file_notify_information {
  static constexpr std::string_view title = "FILE_NOTIFY_INFORMATION";

  u32 next_entry_offset = 0;
  u32 action = 0; ///< see notify_action
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "action", m.action) &&
           ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

/// One extended attribute; the input of FileFullEaInformation, and a CREATE context ("ExtA"). Walk
/// them with entry_walker; they stand at multiples of 4. · source: MS-FSCC 2.4
/// FileFullEaInformation
struct file_full_ea_information {
  static constexpr std::string_view title = "FileFullEaInformation";
  static constexpr u8 info_class = file_info::full_ea;

  u32 next_entry_offset = 0;
  u8 flags = 0; ///< 0x80: the file cannot be understood without it
  bytes name;   ///< 8-bit characters; a 0 follows it on the wire
  bytes value;

  static bool fields(auto& m, auto& ar) {
    return ar("next_entry_offset", m.next_entry_offset, "flags", m.flags) &&
           ar.length8(m.name, 0) && ar.length16(m.value, 1) && ar.run("name", m.name, 0) &&
           ar.pad(1) && ar.run("value", m.value, 1);
  }
};

} // namespace smb2
