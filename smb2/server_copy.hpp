#pragma once

#include "smb2/file.hpp"
#include "smb2/ioctls/copychunk.hpp"

namespace smb2 {

/// The most of one FSCTL_SRV_COPYCHUNK. What a server does not take it refuses with its own limits,
/// and the copy goes on with those. · units: bytes
struct copy_limits {
  u32 chunks = 256;
  u32 chunk_bytes = 1u << 20;
  u32 total_bytes = 16u << 20;
};

struct copied {
  u64 bytes = 0;
  u32 requests = 0;   ///< COPYCHUNKs, refused ones included
  copy_limits limits; ///< as they were in the end
};

/// Copies `length` bytes inside the server: REQUEST_RESUME_KEY, and as many COPYCHUNK_WRITE as it
/// takes. Source and target lie in the same session.
/// · errors: those of the calls, bad_response when the server's count or limits make no sense. What
///   was copied before stays copied. · source: MS-SMB2 3.2.4.20.2, 3.3.5.15.6
[[nodiscard]] awaitable<std::expected<copied, error>> server_copy(file source, u64 source_offset,
                                                                  file target, u64 target_offset,
                                                                  u64 length,
                                                                  copy_limits limits = {});

} // namespace smb2
