#pragma once

#include "wire/bytes.hpp"

#include <memory>

// The types of OpenSSL that our headers hold pointers to, so that who includes them does not
// include OpenSSL.
struct evp_mac_st;
struct evp_mac_ctx_st;
struct evp_md_st;
struct evp_md_ctx_st;
struct evp_cipher_st;
struct evp_cipher_ctx_st;
struct ossl_lib_ctx_st;
struct ossl_provider_st;

namespace smb2::crypto::detail {

struct openssl_free {
  void operator()(evp_mac_st* p) const noexcept;
  void operator()(evp_mac_ctx_st* p) const noexcept;
  void operator()(evp_md_st* p) const noexcept;
  void operator()(evp_md_ctx_st* p) const noexcept;
  void operator()(evp_cipher_st* p) const noexcept;
  void operator()(evp_cipher_ctx_st* p) const noexcept;
  void operator()(ossl_lib_ctx_st* p) const noexcept;
  void operator()(ossl_provider_st* p) const noexcept;
};

template <class T>
using owned = std::unique_ptr<T, openssl_free>;

/// Throws where a call that fails only without memory or after our own mistake has failed.
/// Peer bytes never decide over `result`.
void require(bool result);

inline const unsigned char* in(wire::bytes data) noexcept {
  return reinterpret_cast<const unsigned char*>(data.data());
}
inline unsigned char* out(std::span<std::byte> data) noexcept {
  return reinterpret_cast<unsigned char*>(data.data());
}

} // namespace smb2::crypto::detail
