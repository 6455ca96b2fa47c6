#include "smb2/crypto/openssl.hpp"

#include "smb2/crypto/error.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

namespace smb2::crypto::detail {

void openssl_free::operator()(evp_mac_st* p) const noexcept {
  EVP_MAC_free(p);
}
void openssl_free::operator()(evp_mac_ctx_st* p) const noexcept {
  EVP_MAC_CTX_free(p);
}
void openssl_free::operator()(evp_md_st* p) const noexcept {
  EVP_MD_free(p);
}
void openssl_free::operator()(evp_md_ctx_st* p) const noexcept {
  EVP_MD_CTX_free(p);
}
void openssl_free::operator()(evp_cipher_st* p) const noexcept {
  EVP_CIPHER_free(p);
}
void openssl_free::operator()(evp_cipher_ctx_st* p) const noexcept {
  EVP_CIPHER_CTX_free(p);
}
void openssl_free::operator()(ossl_lib_ctx_st* p) const noexcept {
  OSSL_LIB_CTX_free(p);
}
void openssl_free::operator()(ossl_provider_st* p) const noexcept {
  OSSL_PROVIDER_unload(p);
}

void require(bool result) {
  if (!result) throw std::system_error(errc::unsupported_algorithm);
}

} // namespace smb2::crypto::detail
