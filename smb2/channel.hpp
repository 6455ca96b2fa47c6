#pragma once

#include "smb2/le.hpp"

namespace smb2 {

/// Channel of READ and WRITE: what their channel_info holds. · source: MS-SMB2 2.2.19, 2.2.21
namespace channel {
inline constexpr u32 none = 0;
inline constexpr u32 rdma_v1 = 1;            ///< an array of smb_direct_buffer_descriptor
inline constexpr u32 rdma_v1_invalidate = 2; ///< the same; the server invalidates the first token
inline constexpr u32 rdma_transform = 3;     ///< an smb2_rdma_transform and what it describes
} // namespace channel

/// Memory of the client that the server reads or writes by RDMA; an array (see decode_array).
/// · bytes: 16 each · source: MS-SMBD 2.2.3.1
struct smb_direct_buffer_descriptor {
  static constexpr std::string_view title = "SMB_DIRECT_BUFFER_DESCRIPTOR_V1";

  u64 offset = 0;
  u32 token = 0;
  u32 length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("offset", m.offset, "token", m.token, "length", m.length);
  }
};

} // namespace smb2
