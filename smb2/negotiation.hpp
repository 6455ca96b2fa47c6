#pragma once

#include "smb2/session.hpp"

namespace smb2::detail {

/// Sends NEGOTIATE and notes what was settled, for this session and others on the connection.
/// · source: MS-SMB2 3.2.4.2.2.2, 3.2.5.2
[[nodiscard]] awaitable<std::expected<void, error>> negotiate(session_state& state);

/// Whether this session signs, by what the server and its own options say.
/// · source: MS-SMB2 3.2.5.3.1
[[nodiscard]] std::expected<void, error> settle_signing(session_state& state);
/// Whether it seals, and whether the cipher that was agreed on allows for it.
[[nodiscard]] std::expected<void, error> settle_sealing(session_state& state);

/// Asks again, signed, for what NEGOTIATE said: nobody between us and the server has changed it.
/// Only where 3.1.1's hash does not protect it anyway. Once a connection. `options` are those of a
/// call on the tree: where the share demands sealing it is sealed instead.
/// · source: MS-SMB2 3.2.5.5
[[nodiscard]] awaitable<std::expected<void, error>> validate_negotiation(session_state& state,
                                                                         call_options options);

} // namespace smb2::detail
