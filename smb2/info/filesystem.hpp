#pragma once

#include "smb2/info/classes.hpp"
#include "smb2/le.hpp"

/// What QUERY_INFO returns for a file system.
namespace smb2 {

/// · units: allocation units, whose size the last two give. · source: MS-FSCC 2.5.8
struct file_fs_size_information {
  static constexpr std::string_view title = "FileFsSizeInformation";
  static constexpr u8 info_class = fs_info::size;

  u64 total_allocation_units = 0;
  u64 available_allocation_units = 0;
  u32 sectors_per_allocation_unit = 0;
  u32 bytes_per_sector = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("total_allocation_units", m.total_allocation_units, "available_allocation_units",
              m.available_allocation_units, "sectors_per_allocation_unit",
              m.sectors_per_allocation_unit, "bytes_per_sector", m.bytes_per_sector);
  }
};

/// · source: MS-FSCC 2.5.4
struct file_fs_full_size_information {
  static constexpr std::string_view title = "FileFsFullSizeInformation";
  static constexpr u8 info_class = fs_info::full_size;

  u64 total_allocation_units = 0;
  u64 caller_available_allocation_units = 0; ///< what the user's quota leaves
  u64 actual_available_allocation_units = 0;
  u32 sectors_per_allocation_unit = 0;
  u32 bytes_per_sector = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("total_allocation_units", m.total_allocation_units,
              "caller_available_allocation_units", m.caller_available_allocation_units,
              "actual_available_allocation_units", m.actual_available_allocation_units,
              "sectors_per_allocation_unit", m.sectors_per_allocation_unit, "bytes_per_sector",
              m.bytes_per_sector);
  }
};

/// · source: MS-FSCC 2.5.1
struct file_fs_attribute_information {
  static constexpr std::string_view title = "FileFsAttributeInformation";
  static constexpr u8 info_class = fs_info::attribute;

  u32 attributes = 0;
  u32 maximum_component_name_length = 0; ///< in characters
  utf16_view file_system_name;

  static bool fields(auto& m, auto& ar) {
    return ar("attributes", m.attributes, "maximum_component_name_length",
              m.maximum_component_name_length) &&
           ar.length32(m.file_system_name, 0) && ar.run("file_system_name", m.file_system_name, 0);
  }
};

} // namespace smb2
