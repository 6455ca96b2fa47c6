#pragma once

#include "profiler/flow/connection.hpp"
#include "smb2/transform.hpp"

#include <optional>

namespace profiler::flow {

/// What bytes say that may start a frame: prefix and message, as far as they were captured.
struct smb2_start {
  smb2::message_kind kind = smb2::message_kind::other;
  u32 length = 0;         ///< of the message, by its prefix
  bool ends_here = false; ///< the chunk ends with it, or the start of a next frame stands behind it
  bool response = false;
  u16 command = 0;
  u32 status = 0;
  u64 message_id = 0;
  std::optional<u64> session_id; ///< if it was captured
};

/// Reads them if all fields that have few values have one of these: file data that hold another
/// protocol id, or whole SMB messages of the other direction, are refused.
/// · source: MS-SMB2 2.1, 2.2.1, 2.2.41, 2.2.42
[[nodiscard]] std::optional<smb2_start> read_start(direction d, bytes stream);

} // namespace profiler::flow
