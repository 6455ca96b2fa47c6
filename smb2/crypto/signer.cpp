#include "smb2/crypto/signer.hpp"

#include "smb2/crypto/equal.hpp"

#include <algorithm>

namespace smb2::crypto {
namespace {

class mac_signer final : public message_signer {
 public:
  explicit mac_signer(mac with) : mac_(std::move(with)) {}

  signature sign(std::span<const bytes> segments, const signing_input&) override {
    std::array<std::byte, 32> whole;
    mac_.begin();
    for (const bytes segment : segments)
      mac_.update(segment);
    mac_.finish(whole);
    signature result;
    std::copy_n(whole.begin(), result.size(), result.begin());
    return result;
  }

 private:
  mac mac_;
};

/// The nonce is MessageId and a word of flags: bit 0 says that a server signed, bit 1 that the
/// message is a CANCEL, which bears the MessageId of the request that it cancels.
/// · source: MS-SMB2 3.1.4.1
class gmac_signer final : public message_signer {
 public:
  explicit gmac_signer(const key_128& key) : gmac_(key) {}

  signature sign(std::span<const bytes> segments, const signing_input& input) override {
    std::array<std::byte, gmac::nonce_bytes> nonce;
    wire::store_le(nonce.data(), input.message_id);
    wire::store_le<u32>(nonce.data() + 8, (input.from_server ? 1u : 0u) | (input.cancel ? 2u : 0u));
    gmac_.begin(nonce);
    for (const bytes segment : segments)
      gmac_.update(segment);
    signature result;
    gmac_.finish(result);
    return result;
  }

 private:
  gmac gmac_;
};

} // namespace

std::unique_ptr<message_signer> make_signer(signing_algorithm algorithm, const key_128& key) {
  switch (algorithm) {
  case signing_algorithm::hmac_sha256:
    return std::make_unique<mac_signer>(mac::hmac_sha256(key));
  case signing_algorithm::aes_cmac:
    return std::make_unique<mac_signer>(mac::aes_128_cmac(key));
  case signing_algorithm::aes_gmac:
    return std::make_unique<gmac_signer>(key);
  }
  return nullptr;
}

std::unique_ptr<message_signer> make_signer(dialect negotiated, signing_algorithm algorithm,
                                            const key_128& key) {
  if (negotiated < dialect::smb_3_0) return make_signer(signing_algorithm::hmac_sha256, key);
  if (negotiated < dialect::smb_3_1_1) return make_signer(signing_algorithm::aes_cmac, key);
  return make_signer(algorithm, key);
}

bool verify(message_signer& with, bytes message) {
  constexpr std::size_t command_at = 12, flags_at = 16, message_id_at = 24, signature_at = 48;
  constexpr u16 cancel = 0x000C;
  constexpr u32 server_to_redir = 0x00000001;

  std::array<std::byte, 64> header;
  if (message.size() < header.size()) return false;
  std::copy_n(message.begin(), header.size(), header.begin());
  std::fill_n(header.begin() + signature_at, sizeof(signature), std::byte{});

  const bytes segments[] = {header, message.subspan(header.size())};
  const signature expected =
      with.sign(segments, {wire::load_le<u64>(header.data() + message_id_at),
                           (wire::load_le<u32>(header.data() + flags_at) & server_to_redir) != 0,
                           wire::load_le<u16>(header.data() + command_at) == cancel});
  return equal(expected, message.subspan(signature_at, expected.size()));
}

} // namespace smb2::crypto
