#include "smb2/crypto/error.hpp"

#include <openssl/crypto.h>

#include <string>

namespace smb2::crypto {
namespace {

std::string legacy_provider_missing() {
  const char* found = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
  const std::string folder = found != nullptr ? found : "the ossl-modules folder";
  return "NTLM needs MD4 and RC4, and OpenSSL cannot load its legacy provider: is " + folder +
         "/legacy.so there? (Debian ships it in the package libssl3, other systems as "
         "openssl-legacy or similar)";
}

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "smb2 crypto"; }

  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
    case errc::ok:
      return "ok";
    case errc::legacy_provider_missing:
      return legacy_provider_missing();
    case errc::unsupported_algorithm:
      return "OpenSSL does not offer an algorithm that SMB needs (its configuration may forbid it)";
    case errc::bad_key_length:
      return "a key has a length that its algorithm does not take";
    }
    return "unknown error";
  }
};

} // namespace

const std::error_category& crypto_category() noexcept {
  static const category instance;
  return instance;
}

} // namespace smb2::crypto
