#pragma once

#include "smb2/header.hpp"
#include "smb2/signer.hpp"

namespace smb2 {

/// Whether the signature in a message is the one of this key. Compares in constant time.
/// · bytes: `message` starts with the header `head` and ends where its signature's reach does.
/// · source: MS-SMB2 3.1.5.1
[[nodiscard]] bool signature_matches(message_signer& signer, const header& head, bytes message);

} // namespace smb2
