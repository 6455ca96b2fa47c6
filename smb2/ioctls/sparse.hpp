#pragma once

#include "smb2/le.hpp"

/// FSCTLs of sparse files. · units: bytes
namespace smb2 {

/// Ours: ranges that one QUERY_ALLOCATED_RANGES may return.
inline constexpr std::size_t allocated_ranges_max = 65'536;

/// Input of FSCTL_SET_SPARSE; without input the file becomes sparse.
/// · bytes: 1 · source: MS-FSCC 2.3 FSCTL_SET_SPARSE
struct file_set_sparse_buffer {
  static constexpr std::string_view title = "FILE_SET_SPARSE_BUFFER";

  u8 set_sparse = 1;

  static bool fields(auto& m, auto& ar) { return ar("set_sparse", m.set_sparse); }
};

/// Input of FSCTL_SET_ZERO_DATA. · bytes: 16 · source: MS-FSCC 2.3 FSCTL_SET_ZERO_DATA
struct file_zero_data_information {
  static constexpr std::string_view title = "FILE_ZERO_DATA_INFORMATION";

  u64 file_offset = 0;
  u64 beyond_final_zero = 0; ///< the first byte that stays

  static bool fields(auto& m, auto& ar) {
    return ar("file_offset", m.file_offset, "beyond_final_zero", m.beyond_final_zero);
  }
};

/// Input of FSCTL_QUERY_ALLOCATED_RANGES, and its output: an array (see decode_array).
/// · bytes: 16 each · source: MS-FSCC 2.3 FSCTL_QUERY_ALLOCATED_RANGES
struct file_allocated_range_buffer {
  static constexpr std::string_view title = "FILE_ALLOCATED_RANGE_BUFFER";

  u64 file_offset = 0;
  u64 length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("file_offset", m.file_offset, "length", m.length);
  }

  friend bool operator==(const file_allocated_range_buffer&,
                         const file_allocated_range_buffer&) = default;
};

/// Input of FSCTL_DUPLICATE_EXTENTS_TO_FILE: target and source share the blocks from then on.
/// · bytes: 40 · source: MS-FSCC 2.3 FSCTL_DUPLICATE_EXTENTS_TO_FILE
struct duplicate_extents_data {
  static constexpr std::string_view title = "DUPLICATE_EXTENTS_DATA";

  fileid source_file;
  u64 source_offset = 0;
  u64 target_offset = 0;
  u64 byte_count = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("source_file", m.source_file, "source_offset", m.source_offset, "target_offset",
              m.target_offset, "byte_count", m.byte_count);
  }
};

} // namespace smb2
