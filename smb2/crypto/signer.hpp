#pragma once

#include "smb2/crypto/mac.hpp"
#include "smb2/dialect.hpp"
#include "smb2/signer.hpp"

#include <memory>

namespace smb2::crypto {

/// The signer that a session of this dialect uses: HMAC-SHA256 below 3.0, AES-CMAC on 3.0 and
/// 3.0.2, and on 3.1.1 what was negotiated (AES-CMAC where nothing was).
/// · source: MS-SMB2 3.1.4.1
[[nodiscard]] std::unique_ptr<message_signer>
make_signer(dialect negotiated, signing_algorithm algorithm, const key_128& key);

/// The same by algorithm alone; nullptr for a number that is none.
[[nodiscard]] std::unique_ptr<message_signer> make_signer(signing_algorithm algorithm,
                                                          const key_128& key);

/// Whether the Signature of a whole message is the one of this key; false for less than a header.
/// What the nonce of AES-GMAC needs is read from the header. Takes the same time for every wrong
/// signature.
[[nodiscard]] bool verify(message_signer& with, bytes message);

} // namespace smb2::crypto
