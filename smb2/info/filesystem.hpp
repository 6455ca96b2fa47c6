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

/// · source: MS-FSCC 2.5 FileFsVolumeInformation
struct file_fs_volume_information {
  static constexpr std::string_view title = "FileFsVolumeInformation";
  static constexpr u8 info_class = fs_info::volume;

  filetime volume_creation_time = 0;
  u32 volume_serial_number = 0;
  u8 supports_objects = 0;
  utf16_view volume_label;

  static bool fields(auto& m, auto& ar) {
    return ar("volume_creation_time", m.volume_creation_time, "volume_serial_number",
              m.volume_serial_number) &&
           ar.length32(m.volume_label, 0) && ar("supports_objects", m.supports_objects) &&
           ar.pad(1) && ar.run("volume_label", m.volume_label, 0);
  }
};

/// · bytes: 8 · source: MS-FSCC 2.5 FileFsDeviceInformation
struct file_fs_device_information {
  static constexpr std::string_view title = "FileFsDeviceInformation";
  static constexpr u8 info_class = fs_info::device;

  u32 device_type = 0; ///< 7 disk, 2 CD-ROM
  u32 characteristics = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("device_type", m.device_type, "characteristics", m.characteristics);
  }
};

/// Quota of the volume. · bytes: 48 · source: MS-FSCC 2.5 FileFsControlInformation
struct file_fs_control_information {
  static constexpr std::string_view title = "FileFsControlInformation";
  static constexpr u8 info_class = fs_info::control;

  u64 free_space_start_filtering = 0;
  u64 free_space_threshold = 0;
  u64 free_space_stop_filtering = 0;
  u64 default_quota_threshold = 0;
  u64 default_quota_limit = 0;
  u32 control_flags = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("free_space_start_filtering", m.free_space_start_filtering, "free_space_threshold",
              m.free_space_threshold, "free_space_stop_filtering", m.free_space_stop_filtering,
              "default_quota_threshold", m.default_quota_threshold, "default_quota_limit",
              m.default_quota_limit, "control_flags", m.control_flags) &&
           ar.pad(4);
  }
};

/// · bytes: 64 · source: MS-FSCC 2.5 FileFsObjectIdInformation
struct file_fs_object_id_information {
  static constexpr std::string_view title = "FileFsObjectIdInformation";
  static constexpr u8 info_class = fs_info::object_id;

  guid object_id{};
  std::array<std::byte, 48> extended_info{};

  static bool fields(auto& m, auto& ar) {
    return ar("object_id", m.object_id, "extended_info", m.extended_info);
  }
};

/// · bytes: 28 · source: MS-FSCC 2.5 FileFsSectorSizeInformation
struct file_fs_sector_size_information {
  static constexpr std::string_view title = "FileFsSectorSizeInformation";
  static constexpr u8 info_class = fs_info::sector_size;

  u32 logical_bytes_per_sector = 0;
  u32 physical_bytes_per_sector_for_atomicity = 0;
  u32 physical_bytes_per_sector_for_performance = 0;
  u32 effective_physical_bytes_per_sector_for_atomicity = 0;
  u32 flags = 0;
  u32 byte_offset_for_sector_alignment = 0;
  u32 byte_offset_for_partition_alignment = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("logical_bytes_per_sector", m.logical_bytes_per_sector,
              "physical_bytes_per_sector_for_atomicity", m.physical_bytes_per_sector_for_atomicity,
              "physical_bytes_per_sector_for_performance",
              m.physical_bytes_per_sector_for_performance,
              "effective_physical_bytes_per_sector_for_atomicity",
              m.effective_physical_bytes_per_sector_for_atomicity, "flags", m.flags,
              "byte_offset_for_sector_alignment", m.byte_offset_for_sector_alignment,
              "byte_offset_for_partition_alignment", m.byte_offset_for_partition_alignment);
  }
};

} // namespace smb2
