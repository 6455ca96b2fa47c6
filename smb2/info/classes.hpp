#pragma once

#include "smb2/types.hpp"

#include <string_view>

namespace smb2 {

/// FileInformationClass numbers, MS-FSCC 2.4.
namespace file_info {
inline constexpr u8 directory = 1;
inline constexpr u8 full_directory = 2;
inline constexpr u8 both_directory = 3;
inline constexpr u8 basic = 4;
inline constexpr u8 standard = 5;
inline constexpr u8 internal = 6;
inline constexpr u8 ea = 7;
inline constexpr u8 access = 8;
inline constexpr u8 name = 9;
inline constexpr u8 rename = 10;
inline constexpr u8 link = 11;
inline constexpr u8 names = 12;
inline constexpr u8 disposition = 13;
inline constexpr u8 position = 14;
inline constexpr u8 full_ea = 15;
inline constexpr u8 mode = 16;
inline constexpr u8 alignment = 17;
inline constexpr u8 all = 18;
inline constexpr u8 allocation = 19;
inline constexpr u8 end_of_file = 20;
inline constexpr u8 alternate_name = 21;
inline constexpr u8 stream = 22;
inline constexpr u8 pipe = 23;
inline constexpr u8 pipe_local = 24;
inline constexpr u8 pipe_remote = 25;
inline constexpr u8 compression = 28;
inline constexpr u8 network_open = 34;
inline constexpr u8 attribute_tag = 35;
inline constexpr u8 id_both_directory = 37;
inline constexpr u8 id_full_directory = 38;
inline constexpr u8 valid_data_length = 39;
inline constexpr u8 hard_link = 46;
inline constexpr u8 normalized_name = 48;
inline constexpr u8 id = 59;
inline constexpr u8 id_extd_directory = 60;
inline constexpr u8 disposition_ex = 64;
inline constexpr u8 rename_ex = 65;
inline constexpr u8 posix = 100; ///< of the POSIX extensions, of a file and in a directory
} // namespace file_info

/// FsInformationClass numbers, MS-FSCC 2.5.
namespace fs_info {
inline constexpr u8 volume = 1;
inline constexpr u8 size = 3;
inline constexpr u8 device = 4;
inline constexpr u8 attribute = 5;
inline constexpr u8 control = 6;
inline constexpr u8 full_size = 7;
inline constexpr u8 object_id = 8;
inline constexpr u8 sector_size = 11;
inline constexpr u8 posix = 100; ///< of the POSIX extensions
} // namespace fs_info

} // namespace smb2
