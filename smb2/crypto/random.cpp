#include "smb2/crypto/random.hpp"

#include "smb2/crypto/openssl.hpp"

#include <openssl/rand.h>

namespace smb2::crypto {

void random_bytes(std::span<std::byte> out) {
  detail::require(RAND_bytes_ex(nullptr, detail::out(out), out.size(), 0) == 1);
}

} // namespace smb2::crypto
