#pragma once

#include "smb2/compound.hpp"

namespace profiler::flow {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u64;

/// What a request says that the analysis wants.
struct smb2_request {
  u16 command = 0;
  bool uses_previous = false; ///< works on the file of the command before it in the compound
  u64 handle = 0;             ///< hash of the FileId; 0: none
  bytes name;                 ///< CREATE: UTF-16LE path in the share; TREE_CONNECT: the share
  bool name_complete = false; ///< there is one, and all of it was captured
  u64 offset = 0;
  u32 data_bytes = 0; ///< in this message
  u32 wanted = 0;     ///< READ: bytes asked for
};

/// What a response says.
struct smb2_results {
  u64 handle = 0;         ///< CREATE: hash of the FileId
  bool created = false;   ///< CREATE made the file
  bool directory = false; ///< CREATE opened one
  u32 data_bytes = 0;
  u16 dialect = 0; ///< NEGOTIATE
  u32 max_read = 0;
  u32 max_write = 0;
};

/// The bodies may be cut anywhere.
/// · lifetime: `name` is a view into the message.
[[nodiscard]] smb2_request read_request(const smb2::submessage& m);
[[nodiscard]] smb2_results read_response(const smb2::submessage& m);

} // namespace profiler::flow
