#include "smb2/crypto/preauth.hpp"

#include <openssl/evp.h>

namespace smb2::crypto {

using detail::in;
using detail::out;
using detail::require;

preauth_sha512::preauth_sha512()
    : sha512_(EVP_MD_fetch(nullptr, "SHA512", nullptr)), context_(EVP_MD_CTX_new()) {
  require(sha512_ != nullptr && context_ != nullptr);
}

preauth_sha512::preauth_sha512(const preauth_sha512& other) : preauth_sha512() {
  value_ = other.value_;
}

preauth_sha512& preauth_sha512::operator=(const preauth_sha512& other) {
  value_ = other.value_;
  return *this;
}

void preauth_sha512::update(std::span<const bytes> segments) {
  require(EVP_DigestInit_ex2(context_.get(), sha512_.get(), nullptr) == 1);
  require(EVP_DigestUpdate(context_.get(), in(value_), value_.size()) == 1);
  for (const bytes segment : segments)
    require(EVP_DigestUpdate(context_.get(), in(segment), segment.size()) == 1);
  require(EVP_DigestFinal_ex(context_.get(), out(value_), nullptr) == 1);
}

} // namespace smb2::crypto
