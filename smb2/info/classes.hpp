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
inline constexpr u8 rename = 10;
inline constexpr u8 names = 12;
inline constexpr u8 disposition = 13;
inline constexpr u8 all = 18;
inline constexpr u8 allocation = 19;
inline constexpr u8 end_of_file = 20;
inline constexpr u8 stream = 22;
inline constexpr u8 network_open = 34;
inline constexpr u8 id_both_directory = 37;
inline constexpr u8 id_full_directory = 38;
} // namespace file_info

/// FsInformationClass numbers, MS-FSCC 2.5.
namespace fs_info {
inline constexpr u8 volume = 1;
inline constexpr u8 size = 3;
inline constexpr u8 device = 4;
inline constexpr u8 attribute = 5;
inline constexpr u8 full_size = 7;
} // namespace fs_info

} // namespace smb2
