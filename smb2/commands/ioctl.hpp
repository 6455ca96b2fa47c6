#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Control codes, MS-SMB2 2.2.31 and MS-FSCC 2.3.
namespace fsctl {
inline constexpr u32 dfs_get_referrals = 0x0006'0194;
inline constexpr u32 pipe_transceive = 0x0011'C017;
inline constexpr u32 validate_negotiate_info = 0x0014'0204;
inline constexpr u32 srv_request_resume_key = 0x0014'0078;
inline constexpr u32 srv_copychunk = 0x0014'40F2;
inline constexpr u32 query_network_interface_info = 0x0014'01FC;
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
    return std::max(static_cast<u32>(m.input.size() + m.output.size()),
                    m.max_input_response + m.max_output_response);
  }
};

/// What the client sent in NEGOTIATE, signed this time: input of FSCTL_VALIDATE_NEGOTIATE_INFO.
/// · source: MS-SMB2 2.2.31.4
struct validate_negotiate_info_request {
  static constexpr std::string_view title = "VALIDATE_NEGOTIATE_INFO request";

  u32 capabilities = 0;
  guid client_guid{};
  u16 security_mode = 0;
  std::vector<dialect> dialects;

  static bool fields(auto& m, auto& ar) {
    return ar("capabilities", m.capabilities, "client_guid", m.client_guid, "security_mode",
              m.security_mode) &&
           ar.count16(m.dialects, 0) && ar.list("dialects", m.dialects, 0, dialects_max);
  }
};

/// What the server answered to it. · bytes: 24 · source: MS-SMB2 2.2.32.6
struct validate_negotiate_info_response {
  static constexpr std::string_view title = "VALIDATE_NEGOTIATE_INFO response";

  u32 capabilities = 0;
  guid server_guid{};
  u16 security_mode = 0;
  dialect revision{};

  static bool fields(auto& m, auto& ar) {
    return ar("capabilities", m.capabilities, "server_guid", m.server_guid, "security_mode",
              m.security_mode, "revision", m.revision);
  }
};

} // namespace smb2
