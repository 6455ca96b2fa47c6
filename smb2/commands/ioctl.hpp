#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Control codes, MS-SMB2 2.2.31 and MS-FSCC 2.3. The payloads are in smb2/ioctls/; those that have
/// no structure there are bytes.
namespace fsctl {
inline constexpr u32 dfs_get_referrals = 0x0006'0194;
inline constexpr u32 dfs_get_referrals_ex = 0x0006'01B0;
inline constexpr u32 set_reparse_point = 0x0009'00A4;
inline constexpr u32 get_reparse_point = 0x0009'00A8;
inline constexpr u32 set_sparse = 0x0009'00C4;
inline constexpr u32 query_allocated_ranges = 0x0009'40CF;
inline constexpr u32 set_zero_data = 0x0009'80C8;
inline constexpr u32 file_level_trim = 0x0009'8208;
inline constexpr u32 duplicate_extents_to_file = 0x0009'8344;
inline constexpr u32 pipe_wait = 0x0011'0018;
inline constexpr u32 pipe_peek = 0x0011'400C;
inline constexpr u32 pipe_transceive = 0x0011'C017;
inline constexpr u32 srv_request_resume_key = 0x0014'0078;
inline constexpr u32 lmr_request_resiliency = 0x0014'01D4;
inline constexpr u32 query_network_interface_info = 0x0014'01FC;
inline constexpr u32 validate_negotiate_info = 0x0014'0204;
inline constexpr u32 srv_enumerate_snapshots = 0x0014'4064;
inline constexpr u32 srv_copychunk = 0x0014'40F2;
inline constexpr u32 srv_read_hash = 0x0014'41BB;
inline constexpr u32 srv_copychunk_write = 0x0014'80F2;
} // namespace fsctl

/// Anything that is no file operation: pipes, server-side copy, DFS, the check of NEGOTIATE.
/// · source: MS-SMB2 2.2.31, 2.2.32
struct ioctl {
  static constexpr u16 number = 0x0B;
  static constexpr std::string_view name = "IOCTL";
  static constexpr u32 flag_is_fsctl = 0x0000'0001;

  struct request {
    static constexpr std::string_view title = "IOCTL request";

    u32 ctl_code = 0;
    fileid file = fileid::of_previous(); ///< all ones: not of a file
    u32 max_input_response = 0;
    u32 max_output_response = 0;
    u32 flags = flag_is_fsctl;
    bytes input;
    bytes output;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(57) && ar.pad(2) && ar("ctl_code", m.ctl_code, "file", m.file) &&
             ar.offset32(0) && ar.length32(m.input, 0) &&
             ar("max_input_response", m.max_input_response) && ar.offset32(1) &&
             ar.length32(m.output, 1) &&
             ar("max_output_response", m.max_output_response, "flags", m.flags) && ar.pad(4) &&
             ar.tail("input", m.input, 0, 8) && ar.tail("output", m.output, 1, 8) &&
             ar.at_least_one_byte();
    }
  };

  struct response {
    static constexpr std::string_view title = "IOCTL response";

    u32 ctl_code = 0;
    fileid file;
    u32 flags = 0;
    bytes input;
    bytes output;

    static bool fields(auto& m, auto& ar) {
      return ar.structure_size(49) && ar.pad(2) && ar("ctl_code", m.ctl_code, "file", m.file) &&
             ar.offset32(0) && ar.length32(m.input, 0) && ar.offset32(1) &&
             ar.length32(m.output, 1) && ar("flags", m.flags) && ar.pad(4) &&
             ar.tail("input", m.input, 0, 8) && ar.tail("output", m.output, 1, 8);
    }
  };

  static const fileid& file_id(const request& m) { return m.file; }
  static u32 credit_bytes(const request& m) {
    const u64 back = u64{m.max_input_response} + m.max_output_response;
    const u64 out = u64{m.input.size()} + m.output.size();
    return static_cast<u32>(std::min<u64>(std::max(out, back), ~u32{0}));
  }
};

} // namespace smb2
