#include "smb2/crypto/counter_mode.hpp"

#include "smb2/crypto/error.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>

namespace smb2::crypto {
namespace {

using detail::in;
using detail::out;
using detail::require;

using counter_block = std::array<std::byte, 16>;

/// The block that makes the key stream of the message's first bytes.
counter_block first_block(bool ccm, wire::bytes nonce) {
  counter_block block{};
  if (ccm) {
    // A counter of 4 bytes behind a nonce of 11; block 0 is the tag's.
    block[0] = std::byte{4 - 1};
    std::ranges::copy(nonce, block.begin() + 1);
    block[15] = std::byte{1};
  } else {
    // Block 1 is the tag's.
    std::ranges::copy(nonce, block.begin());
    block[15] = std::byte{2};
  }
  return block;
}

} // namespace

std::expected<counter_mode, std::error_code> counter_mode::create(cipher algorithm,
                                                                  wire::bytes key) {
  const bool ccm = algorithm == cipher::aes_128_ccm || algorithm == cipher::aes_256_ccm;
  const bool wide = algorithm == cipher::aes_256_ccm || algorithm == cipher::aes_256_gcm;
  if (!ccm && algorithm != cipher::aes_128_gcm && algorithm != cipher::aes_256_gcm)
    return std::unexpected(make_error_code(errc::unsupported_algorithm));
  if (key.size() != (wide ? 32u : 16u))
    return std::unexpected(make_error_code(errc::bad_key_length));

  counter_mode it;
  it.cipher_.reset(EVP_CIPHER_fetch(nullptr, wide ? "AES-256-CTR" : "AES-128-CTR", nullptr));
  it.context_.reset(EVP_CIPHER_CTX_new());
  if (!it.cipher_ || !it.context_)
    return std::unexpected(make_error_code(errc::unsupported_algorithm));
  std::ranges::copy(key, it.key_.begin());
  it.ccm_ = ccm;
  require(EVP_CipherInit_ex2(it.context_.get(), it.cipher_.get(), in(it.key_), nullptr, 0,
                             nullptr) == 1);
  return it;
}

void counter_mode::decrypt_start(wire::bytes nonce, wire::bytes sealed,
                                 std::span<std::byte> plain) {
  assert(nonce.size() == (ccm_ ? 11u : 12u) && plain.size() == sealed.size());
  const auto block = first_block(ccm_, nonce);
  auto* context = context_.get();
  require(EVP_CipherInit_ex2(context, nullptr, nullptr, in(block), 0, nullptr) == 1);
  // One message is below 16 MiB (direct TCP has 24 bits of length), so int is wide enough.
  int n = 0;
  if (!sealed.empty())
    require(EVP_CipherUpdate(context, out(plain), &n, in(sealed),
                             static_cast<int>(sealed.size())) == 1);
}

} // namespace smb2::crypto
