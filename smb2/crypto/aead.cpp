#include "smb2/crypto/aead.hpp"

#include "smb2/crypto/error.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <climits>

namespace smb2::crypto {
namespace {

using detail::in;
using detail::out;
using detail::require;

// One message is below 16 MiB (direct TCP has 24 bits of length), so int is wide enough.
int length(std::size_t n) {
  assert(n <= INT_MAX);
  return static_cast<int>(n);
}

struct algorithm_facts {
  const char* name;
  std::size_t key_bytes;
  bool ccm;
};

const algorithm_facts* facts_of(cipher algorithm) {
  static constexpr algorithm_facts ccm_128{"AES-128-CCM", 16, true};
  static constexpr algorithm_facts gcm_128{"AES-128-GCM", 16, false};
  static constexpr algorithm_facts ccm_256{"AES-256-CCM", 32, true};
  static constexpr algorithm_facts gcm_256{"AES-256-GCM", 32, false};
  switch (algorithm) {
  case cipher::aes_128_ccm:
    return &ccm_128;
  case cipher::aes_128_gcm:
    return &gcm_128;
  case cipher::aes_256_ccm:
    return &ccm_256;
  case cipher::aes_256_gcm:
    return &gcm_256;
  case cipher::none:
    break;
  }
  return nullptr;
}

} // namespace

std::expected<aead, std::error_code> aead::create(cipher algorithm, wire::bytes key) {
  const auto* facts = facts_of(algorithm);
  if (facts == nullptr) return std::unexpected(make_error_code(errc::unsupported_algorithm));
  if (key.size() != facts->key_bytes) return std::unexpected(make_error_code(errc::bad_key_length));

  aead it;
  it.cipher_.reset(EVP_CIPHER_fetch(nullptr, facts->name, nullptr));
  it.context_.reset(EVP_CIPHER_CTX_new());
  if (!it.cipher_ || !it.context_)
    return std::unexpected(make_error_code(errc::unsupported_algorithm));
  std::ranges::copy(key, it.key_.begin());
  it.ccm_ = facts->ccm;
  it.nonce_bytes_ = facts->ccm ? 11 : 12;

  auto* context = it.context_.get();
  require(EVP_CipherInit_ex2(context, it.cipher_.get(), nullptr, nullptr, 1, nullptr) == 1);
  require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, length(it.nonce_bytes_), nullptr) ==
          1);
  if (it.ccm_) require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, nullptr) == 1);
  return it;
}

aead_tag aead::seal(wire::bytes nonce, wire::bytes associated, pieces plain,
                    std::span<std::byte> sealed) {
  assert(nonce.size() == nonce_bytes_);
  auto* context = context_.get();
  int n = 0;
  require(EVP_CipherInit_ex2(context, nullptr, in(key_), in(nonce), 1, nullptr) == 1);
  // CCM mixes the length of the message in first and takes the message in one piece.
  if (ccm_) require(EVP_CipherUpdate(context, nullptr, &n, nullptr, length(sealed.size())) == 1);
  require(EVP_CipherUpdate(context, nullptr, &n, in(associated), length(associated.size())) == 1);

  std::size_t done = 0;
  for (const wire::bytes piece : plain) {
    assert(piece.size() <= sealed.size() - done);
    if (piece.empty()) continue;
    auto* to = sealed.data() + done;
    if (ccm_)
      std::memcpy(to, piece.data(), piece.size());
    else
      require(EVP_CipherUpdate(context, out({to, piece.size()}), &n, in(piece),
                               length(piece.size())) == 1);
    done += piece.size();
  }
  assert(done == sealed.size());
  if (ccm_ && !sealed.empty())
    require(EVP_CipherUpdate(context, out(sealed), &n, in(sealed), length(sealed.size())) == 1);

  unsigned char rest[16];
  require(EVP_CipherFinal_ex(context, rest, &n) == 1);
  aead_tag tag;
  require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out(tag)) == 1);
  return tag;
}

bool aead::open(wire::bytes nonce, wire::bytes associated, wire::bytes sealed, const aead_tag& tag,
                std::span<std::byte> plain) {
  assert(nonce.size() == nonce_bytes_ && plain.size() == sealed.size());
  auto* context = context_.get();
  int n = 0;
  auto expected = tag;
  require(EVP_CipherInit_ex2(context, nullptr, nullptr, nullptr, 0, nullptr) == 1);
  require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, out(expected)) == 1);
  require(EVP_CipherInit_ex2(context, nullptr, in(key_), in(nonce), 0, nullptr) == 1);
  if (ccm_) require(EVP_CipherUpdate(context, nullptr, &n, nullptr, length(sealed.size())) == 1);
  require(EVP_CipherUpdate(context, nullptr, &n, in(associated), length(associated.size())) == 1);

  // CCM checks the tag with the text, GCM at the end.
  bool good = true;
  if (!sealed.empty() || ccm_)
    good = EVP_CipherUpdate(context, out(plain), &n, in(sealed), length(sealed.size())) == 1;
  unsigned char rest[16];
  if (good && !ccm_) good = EVP_CipherFinal_ex(context, rest, &n) == 1;
  if (!good) std::ranges::fill(plain, std::byte{});
  return good;
}

} // namespace smb2::crypto
