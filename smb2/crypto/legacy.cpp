#include "smb2/crypto/legacy.hpp"

#include "smb2/crypto/error.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <cassert>

namespace smb2::crypto {
namespace {

using detail::in;
using detail::out;
using detail::owned;
using detail::require;

digest_128 digest(const evp_md_st* algorithm, pieces data) {
  const owned<evp_md_ctx_st> context(EVP_MD_CTX_new());
  require(context != nullptr && EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1);
  for (const wire::bytes piece : data)
    require(EVP_DigestUpdate(context.get(), in(piece), piece.size()) == 1);
  digest_128 result;
  require(EVP_DigestFinal_ex(context.get(), out(result), nullptr) == 1);
  return result;
}

} // namespace

void rc4::apply(std::span<std::byte> data) {
  int written = 0;
  require(EVP_EncryptUpdate(context_.get(), out(data), &written, in(data),
                            static_cast<int>(data.size())) == 1);
}

std::expected<legacy, std::error_code> legacy::load(const char* modules_folder) {
  const auto missing = std::unexpected(make_error_code(errc::legacy_provider_missing));
  legacy it;
  it.library_.reset(OSSL_LIB_CTX_new());
  auto* library = it.library_.get();
  require(library != nullptr);
  if (modules_folder != nullptr)
    require(OSSL_PROVIDER_set_default_search_path(library, modules_folder) == 1);

  it.legacy_provider_.reset(OSSL_PROVIDER_load(library, "legacy"));
  if (!it.legacy_provider_) return missing;
  it.default_provider_.reset(OSSL_PROVIDER_load(library, "default"));

  it.md4_.reset(EVP_MD_fetch(library, "MD4", nullptr));
  it.md5_.reset(EVP_MD_fetch(library, "MD5", nullptr));
  it.hmac_.reset(EVP_MAC_fetch(library, "HMAC", nullptr));
  it.rc4_.reset(EVP_CIPHER_fetch(library, "RC4", nullptr));
  if (!it.md4_ || !it.md5_ || !it.hmac_ || !it.rc4_) return missing;
  return it;
}

std::expected<const legacy*, std::error_code> legacy::instance() {
  static const auto loaded = load();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

digest_128 legacy::md4(wire::bytes data) const {
  return digest(md4_.get(), std::span(&data, 1));
}

digest_128 legacy::md5(pieces data) const {
  return digest(md5_.get(), data);
}

digest_128 legacy::hmac_md5(wire::bytes key, pieces data) const {
  // OpenSSL takes a null key for "keep the last one", so an empty key needs an address.
  static constexpr std::byte nothing{};
  if (key.data() == nullptr) key = wire::bytes(&nothing, 0);

  const owned<evp_mac_ctx_st> context(EVP_MAC_CTX_new(hmac_.get()));
  char name[] = "MD5";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, sizeof name - 1),
      OSSL_PARAM_construct_end()};
  require(context != nullptr && EVP_MAC_init(context.get(), in(key), key.size(), parameters) == 1);
  for (const wire::bytes piece : data)
    require(EVP_MAC_update(context.get(), in(piece), piece.size()) == 1);
  digest_128 result;
  std::size_t written = 0;
  require(EVP_MAC_final(context.get(), out(result), &written, result.size()) == 1);
  return result;
}

rc4 legacy::rc4_with(wire::bytes key) const {
  assert(!key.empty() && key.size() <= 256);
  owned<evp_cipher_ctx_st> context(EVP_CIPHER_CTX_new());
  require(context != nullptr);
  require(EVP_EncryptInit_ex2(context.get(), rc4_.get(), nullptr, nullptr, nullptr) == 1);
  require(EVP_CIPHER_CTX_set_key_length(context.get(), static_cast<int>(key.size())) == 1);
  require(EVP_EncryptInit_ex2(context.get(), nullptr, in(key), nullptr, nullptr) == 1);
  return rc4(std::move(context));
}

} // namespace smb2::crypto
