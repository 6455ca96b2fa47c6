#include "smb2/crypto/mac.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <cassert>
#include <climits>
#include <string>

namespace smb2::crypto {
namespace {

using detail::in;
using detail::out;
using detail::owned;
using detail::require;

owned<evp_mac_ctx_st> new_mac(const char* algorithm, const char* parameter, const char* value,
                              wire::bytes key) {
  // The context holds its own reference to what was fetched.
  const owned<evp_mac_st> fetched(EVP_MAC_fetch(nullptr, algorithm, nullptr));
  require(fetched != nullptr);
  owned<evp_mac_ctx_st> context(EVP_MAC_CTX_new(fetched.get()));
  require(context != nullptr);
  std::string text(value);
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(parameter, text.data(), text.size()),
      OSSL_PARAM_construct_end()};
  require(EVP_MAC_init(context.get(), in(key), key.size(), parameters) == 1);
  return context;
}

} // namespace

mac mac::hmac_sha256(wire::bytes key) {
  // OpenSSL takes a null key for "keep the last one", so an empty key needs an address.
  static constexpr std::byte nothing{};
  if (key.data() == nullptr) key = wire::bytes(&nothing, 0);
  return {new_mac("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256", key), 32};
}

mac mac::aes_128_cmac(const key_128& key) {
  return {new_mac("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", key), 16};
}

void mac::begin() {
  require(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
}

void mac::update(wire::bytes data) {
  if (!data.empty()) require(EVP_MAC_update(context_.get(), in(data), data.size()) == 1);
}

void mac::finish(std::span<std::byte> result) {
  assert(result.size() >= size_);
  std::size_t written = 0;
  require(EVP_MAC_final(context_.get(), out(result), &written, result.size()) == 1);
}

gmac::gmac(const key_128& key) : context_(EVP_CIPHER_CTX_new()) {
  require(context_ != nullptr);
  const owned<evp_cipher_st> fetched(EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr));
  require(fetched != nullptr &&
          EVP_EncryptInit_ex2(context_.get(), fetched.get(), in(key), nullptr, nullptr) == 1);
}

void gmac::begin(std::span<const std::byte, nonce_bytes> nonce) {
  require(EVP_EncryptInit_ex2(context_.get(), nullptr, nullptr, in(nonce), nullptr) == 1);
}

void gmac::update(wire::bytes data) {
  int written = 0;
  while (!data.empty()) {
    const auto part = data.first(std::min<std::size_t>(data.size(), INT_MAX));
    require(EVP_EncryptUpdate(context_.get(), nullptr, &written, in(part),
                              static_cast<int>(part.size())) == 1);
    data = data.subspan(part.size());
  }
}

void gmac::finish(std::span<std::byte, 16> result) {
  int written = 0;
  unsigned char nothing = 0;
  require(EVP_EncryptFinal_ex(context_.get(), &nothing, &written) == 1);
  require(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG,
                              static_cast<int>(result.size()), out(result)) == 1);
}

} // namespace smb2::crypto
