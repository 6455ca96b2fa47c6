#pragma once

#include "smb2/session.hpp"
#include "smb2/srvsvc.hpp"

namespace smb2 {

/// How a message goes through a named pipe.
enum class pipe_way : u8 { transceive, write_and_read };

/// The shares of the session's server: TREE_CONNECT to IPC$, CREATE of the pipe, a bind and
/// NetShareEnum, CLOSE, TREE_DISCONNECT. · errors: those of the calls; bad_response for a bind that
/// is refused, a fault, and bytes that are no answer.
[[nodiscard]] awaitable<std::expected<std::vector<srvsvc::share>, error>>
list_shares(session on, pipe_way way = pipe_way::transceive);

} // namespace smb2
