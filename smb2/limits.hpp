#pragma once

#include "smb2/types.hpp"

namespace smb2 {

/// The most that the 24-bit length of the direct-TCP prefix can say (MS-SMB2 2.1).
inline constexpr u32 message_bytes_max = 0x00FF'FFFF;

/// Ours: a NEGOTIATE request names five dialects; senders that try old ones too stay below this.
inline constexpr u32 dialects_max = 64;
/// Ours: nine context types are defined (MS-SMB2 2.2.3.1).
inline constexpr u32 negotiate_contexts_max = 64;
/// Ours: a dozen create context types are defined (MS-SMB2 2.2.13.2).
inline constexpr u32 create_contexts_max = 64;
/// Ours: LockCount has 16 bits and no limit of its own (MS-SMB2 2.2.26).
inline constexpr u32 locks_max = 1024;
/// Ours: algorithms that one negotiate context may list.
inline constexpr u32 algorithms_max = 64;
/// A path is at most 32,767 UTF-16 units (MS-FSCC 2.1.5).
inline constexpr u32 name_bytes_max = 65'534;
/// Payload that one credit pays for (MS-SMB2 3.1.5.2).
inline constexpr u32 bytes_per_credit = 65'536;
/// Ours: a chain of compounded messages, each at least a header long.
inline constexpr u32 compound_messages_max = 1024;

} // namespace smb2
