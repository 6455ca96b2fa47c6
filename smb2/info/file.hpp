#pragma once

#include "smb2/info/classes.hpp"
#include "smb2/le.hpp"

/// What QUERY_INFO returns and SET_INFO takes for a file. Buffers of their own: no SMB2 header.
/// · units: times as FILETIME, sizes in bytes.
namespace smb2 {

/// · bytes: 40 · source: MS-FSCC 2.4.7
struct file_basic_information {
  static constexpr std::string_view title = "FileBasicInformation";
  static constexpr u8 info_class = file_info::basic;
  static constexpr u32 size = 40;

  filetime creation_time = 0; ///< when set: 0 and ~0 leave it as it is
  filetime last_access_time = 0;
  filetime last_write_time = 0;
  filetime change_time = 0;
  u32 file_attributes = 0; ///< when set: 0 leaves them as they are

  static bool fields(auto& m, auto& ar) {
    return ar("creation_time", m.creation_time, "last_access_time", m.last_access_time,
              "last_write_time", m.last_write_time, "change_time", m.change_time, "file_attributes",
              m.file_attributes) &&
           ar.pad(4);
  }
};

/// · bytes: 24; Windows before 8 leaves the last two out (22). · source: MS-FSCC 2.4.41
struct file_standard_information {
  static constexpr std::string_view title = "FileStandardInformation";
  static constexpr u8 info_class = file_info::standard;
  static constexpr u32 size = 24;

  u64 allocation_size = 0;
  u64 end_of_file = 0;
  u32 number_of_links = 0;
  u8 delete_pending = 0;
  u8 directory = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("allocation_size", m.allocation_size, "end_of_file", m.end_of_file, "number_of_links",
              m.number_of_links, "delete_pending", m.delete_pending, "directory", m.directory) &&
           ar.pad(2);
  }
};

/// · bytes: 8 · source: MS-FSCC 2.4.13
struct file_end_of_file_information {
  static constexpr std::string_view title = "FileEndOfFileInformation";
  static constexpr u8 info_class = file_info::end_of_file;

  u64 end_of_file = 0;

  static bool fields(auto& m, auto& ar) { return ar("end_of_file", m.end_of_file); }
};

/// · bytes: 1 · source: MS-FSCC 2.4.11
struct file_disposition_information {
  static constexpr std::string_view title = "FileDispositionInformation";
  static constexpr u8 info_class = file_info::disposition;

  u8 delete_pending = 1; ///< goes when the last handle is closed

  static bool fields(auto& m, auto& ar) { return ar("delete_pending", m.delete_pending); }
};

/// · bytes: 20 and the new name; relative to the share as in CREATE. · source: MS-FSCC 2.4.37.2
struct file_rename_information {
  static constexpr std::string_view title = "FileRenameInformation";
  static constexpr u8 info_class = file_info::rename;

  u8 replace_if_exists = 0;
  u64 root_directory = 0; ///< always 0 over the network
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("replace_if_exists", m.replace_if_exists) && ar.pad(7) &&
           ar("root_directory", m.root_directory) && ar.length32(m.file_name, 0) &&
           ar.run("file_name", m.file_name, 0);
  }
};

/// · bytes: 100 and the name · source: MS-FSCC 2.4.2
struct file_all_information {
  static constexpr std::string_view title = "FileAllInformation";
  static constexpr u8 info_class = file_info::all;

  file_basic_information basic;
  file_standard_information standard;
  u64 index_number = 0;
  u32 ea_size = 0;
  u32 access_flags = 0;
  u64 current_byte_offset = 0;
  u32 mode = 0;
  u32 alignment_requirement = 0;
  utf16_view file_name;

  static bool fields(auto& m, auto& ar) {
    return ar("basic", m.basic, "standard", m.standard, "index_number", m.index_number, "ea_size",
              m.ea_size, "access_flags", m.access_flags, "current_byte_offset",
              m.current_byte_offset, "mode", m.mode, "alignment_requirement",
              m.alignment_requirement) &&
           ar.length32(m.file_name, 0) && ar.run("file_name", m.file_name, 0);
  }
};

/// · bytes: 56 · source: MS-FSCC 2.4.29
struct file_network_open_information {
  static constexpr std::string_view title = "FileNetworkOpenInformation";
  static constexpr u8 info_class = file_info::network_open;
  static constexpr u32 size = 56;

  filetime creation_time = 0;
  filetime last_access_time = 0;
  filetime last_write_time = 0;
  filetime change_time = 0;
  u64 allocation_size = 0;
  u64 end_of_file = 0;
  u32 file_attributes = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("creation_time", m.creation_time, "last_access_time", m.last_access_time,
              "last_write_time", m.last_write_time, "change_time", m.change_time, "allocation_size",
              m.allocation_size, "end_of_file", m.end_of_file, "file_attributes",
              m.file_attributes) &&
           ar.pad(4);
  }
};

/// The number by which the server knows the file. · bytes: 8 · source: MS-FSCC 2.4
/// FileInternalInformation
struct file_internal_information {
  static constexpr std::string_view title = "FileInternalInformation";
  static constexpr u8 info_class = file_info::internal;

  u64 index_number = 0;

  static bool fields(auto& m, auto& ar) { return ar("index_number", m.index_number); }
};

/// · bytes: 4 · source: MS-FSCC 2.4 FileEaInformation
struct file_ea_information {
  static constexpr std::string_view title = "FileEaInformation";
  static constexpr u8 info_class = file_info::ea;

  u32 ea_size = 0;

  static bool fields(auto& m, auto& ar) { return ar("ea_size", m.ea_size); }
};

/// What the handle may do. · bytes: 4 · source: MS-FSCC 2.4 FileAccessInformation
struct file_access_information {
  static constexpr std::string_view title = "FileAccessInformation";
  static constexpr u8 info_class = file_info::access;

  u32 access_flags = 0;

  static bool fields(auto& m, auto& ar) { return ar("access_flags", m.access_flags); }
};

/// · bytes: 8 · source: MS-FSCC 2.4 FilePositionInformation
struct file_position_information {
  static constexpr std::string_view title = "FilePositionInformation";
  static constexpr u8 info_class = file_info::position;

  u64 current_byte_offset = 0;

  static bool fields(auto& m, auto& ar) { return ar("current_byte_offset", m.current_byte_offset); }
};

/// CreateOptions of the handle. · bytes: 4 · source: MS-FSCC 2.4 FileModeInformation
struct file_mode_information {
  static constexpr std::string_view title = "FileModeInformation";
  static constexpr u8 info_class = file_info::mode;

  u32 mode = 0;

  static bool fields(auto& m, auto& ar) { return ar("mode", m.mode); }
};

/// · bytes: 4 · source: MS-FSCC 2.4 FileAlignmentInformation
struct file_alignment_information {
  static constexpr std::string_view title = "FileAlignmentInformation";
  static constexpr u8 info_class = file_info::alignment;

  u32 alignment_requirement = 0; ///< a mask: 1 for 2 bytes, 511 for 512

  static bool fields(auto& m, auto& ar) {
    return ar("alignment_requirement", m.alignment_requirement);
  }
};

/// · bytes: 8 · source: MS-FSCC 2.4 FileAllocationInformation
struct file_allocation_information {
  static constexpr std::string_view title = "FileAllocationInformation";
  static constexpr u8 info_class = file_info::allocation;

  u64 allocation_size = 0;

  static bool fields(auto& m, auto& ar) { return ar("allocation_size", m.allocation_size); }
};

/// · bytes: 8 · source: MS-FSCC 2.4 FileValidDataLengthInformation
struct file_valid_data_length_information {
  static constexpr std::string_view title = "FileValidDataLengthInformation";
  static constexpr u8 info_class = file_info::valid_data_length;

  u64 valid_data_length = 0;

  static bool fields(auto& m, auto& ar) { return ar("valid_data_length", m.valid_data_length); }
};

/// · bytes: 4 · source: MS-FSCC 2.4 FileDispositionInformationEx
struct file_disposition_information_ex {
  static constexpr std::string_view title = "FileDispositionInformationEx";
  static constexpr u8 info_class = file_info::disposition_ex;
  static constexpr u32 remove = 0x0000'0001;
  static constexpr u32 posix_semantics =
      0x0000'0002; ///< the name goes at once, not with the last handle
  static constexpr u32 force_image_section_check = 0x0000'0004;
  static constexpr u32 on_close = 0x0000'0008;
  static constexpr u32 ignore_read_only = 0x0000'0010;

  u32 flags = remove;

  static bool fields(auto& m, auto& ar) { return ar("flags", m.flags); }
};

/// · bytes: 8 · source: MS-FSCC 2.4 FileAttributeTagInformation
struct file_attribute_tag_information {
  static constexpr std::string_view title = "FileAttributeTagInformation";
  static constexpr u8 info_class = file_info::attribute_tag;

  u32 file_attributes = 0;
  u32 reparse_tag = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("file_attributes", m.file_attributes, "reparse_tag", m.reparse_tag);
  }
};

/// · bytes: 24 · source: MS-FSCC 2.4 FileIdInformation
struct file_id_information {
  static constexpr std::string_view title = "FileIdInformation";
  static constexpr u8 info_class = file_info::id;

  u64 volume_serial_number = 0;
  std::array<std::byte, 16> file_id{};

  static bool fields(auto& m, auto& ar) {
    return ar("volume_serial_number", m.volume_serial_number, "file_id", m.file_id);
  }
};

/// · bytes: 16 · source: MS-FSCC 2.4 FileCompressionInformation
struct file_compression_information {
  static constexpr std::string_view title = "FileCompressionInformation";
  static constexpr u8 info_class = file_info::compression;

  u64 compressed_file_size = 0;
  u16 compression_format = 0; ///< 0 none, 2 LZNT1
  u8 compression_unit_shift = 0;
  u8 chunk_shift = 0;
  u8 cluster_shift = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("compressed_file_size", m.compressed_file_size, "compression_format",
              m.compression_format, "compression_unit_shift", m.compression_unit_shift,
              "chunk_shift", m.chunk_shift, "cluster_shift", m.cluster_shift) &&
           ar.pad(3);
  }
};

/// · bytes: 8 · source: MS-FSCC 2.4 FilePipeInformation
struct file_pipe_information {
  static constexpr std::string_view title = "FilePipeInformation";
  static constexpr u8 info_class = file_info::pipe;

  u32 read_mode = 0;       ///< 1: messages, 0: bytes
  u32 completion_mode = 0; ///< 1: reads do not wait

  static bool fields(auto& m, auto& ar) {
    return ar("read_mode", m.read_mode, "completion_mode", m.completion_mode);
  }
};

} // namespace smb2
