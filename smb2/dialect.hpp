#pragma once

#include "wire/bytes.hpp"

namespace smb2 {

/// DialectRevision of NEGOTIATE. Later dialects compare greater.
/// · source: MS-SMB2 2.2.3, 2.2.4
enum class dialect : wire::u16 {
  smb_2_0_2 = 0x0202,
  smb_2_1 = 0x0210,
  smb_3_0 = 0x0300,
  smb_3_0_2 = 0x0302,
  smb_3_1_1 = 0x0311,
};

/// SigningAlgorithms of SMB2_SIGNING_CAPABILITIES.
/// · source: MS-SMB2 2.2.3.1.7
enum class signing_algorithm : wire::u16 {
  hmac_sha256 = 0,
  aes_cmac = 1,
  aes_gmac = 2,
};

/// Ciphers of SMB2_ENCRYPTION_CAPABILITIES.
/// · source: MS-SMB2 2.2.3.1.2
enum class cipher : wire::u16 {
  none = 0,
  aes_128_ccm = 1,
  aes_128_gcm = 2,
  aes_256_ccm = 3,
  aes_256_gcm = 4,
};

} // namespace smb2
