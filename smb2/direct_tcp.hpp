#pragma once

#include "smb2/limits.hpp"
#include "wire/framer.hpp"

namespace smb2 {

/// How SMB2 cuts its TCP stream: a zero byte and the length in 24 bits, big-endian. Port 139 puts
/// NetBIOS session packets in the same place: messages (0), session request and its answers (0x81
/// to 0x84) and keep-alives (0x85, no data). They come as frames that do not start with a protocol
/// id (see kind_of).
/// · source: MS-SMB2 2.1, RFC 1002 section 4.3.1
struct direct_tcp {
  static constexpr u32 frame_bytes_max = message_bytes_max;
  static constexpr u8 session_message = 0x00;
  static constexpr u8 session_request = 0x81;
  static constexpr u8 keep_alive = 0x85;
  static constexpr std::size_t prefix_bytes = 4;

  static constexpr wire::frame_prefix parse(u32 prefix) noexcept {
    const auto type = static_cast<u8>(prefix >> 24);
    const u32 length = prefix & message_bytes_max;
    if (type == session_message) return {.length = length, .last = true, .valid = true};
    const bool netbios = type >= session_request && type <= keep_alive && length <= 0x1FFFF;
    return {.length = length, .last = true, .valid = netbios};
  }
};

} // namespace smb2
