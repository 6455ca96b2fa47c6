#pragma once

#include "smb2/header.hpp"
#include "smb2/signer.hpp"

namespace smb2 {

/// Whether the signature in a message is the one of this key. Compares in constant time.
/// · bytes: `message` starts with the header `head`; with `rest`, which follows it on the wire, it
///   ends where its signature's reach does.
/// · source: MS-SMB2 3.1.5.1
[[nodiscard]] bool signature_matches(message_signer& signer, const header& head, bytes message,
                                     bytes rest = {});

} // namespace smb2
