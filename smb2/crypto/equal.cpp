#include "smb2/crypto/equal.hpp"

#include <openssl/crypto.h>

namespace smb2::crypto {

bool equal(wire::bytes a, wire::bytes b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace smb2::crypto
