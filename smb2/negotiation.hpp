#pragma once

#include "smb2/crypto/preauth.hpp"
#include "smb2/session.hpp"

namespace smb2::detail {

/// Sends NEGOTIATE and notes what was settled. `hash` takes what 3.1.1 hashes; `server_token` gets
/// the SPNEGO token of the response.
/// · source: MS-SMB2 3.2.4.2.2.2, 3.2.5.2
[[nodiscard]] awaitable<std::expected<void, error>>
negotiate(session_state& state, crypto::preauth_sha512& hash, std::vector<std::byte>& server_token);

/// Asks again, signed, for what NEGOTIATE said: nobody between us and the server has changed it.
/// Only where 3.1.1's hash does not protect it anyway. Once a connection.
/// · source: MS-SMB2 3.2.5.5
[[nodiscard]] awaitable<std::expected<void, error>> validate_negotiation(session_state& state,
                                                                         u32 tree_id);

} // namespace smb2::detail
