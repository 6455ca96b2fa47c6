#include "smb2/crypto/keys.hpp"

#include <algorithm>
#include <string_view>

namespace smb2::crypto {
namespace {

using namespace std::string_view_literals;

/// Label and context of one key; on 3.1.1 the context is the pre-authentication hash instead.
struct purpose {
  std::string_view label_3_0;
  std::string_view context_3_0;
  std::string_view label_3_1_1;
};

// MS-SMB2 3.1.4.2 counts the terminating NUL in, and means the space of "ServerIn ".
constexpr purpose signing{"SMB2AESCMAC\0"sv, "SmbSign\0"sv, "SMBSigningKey\0"sv};
constexpr purpose application{"SMB2APP\0"sv, "SmbRpc\0"sv, "SMBAppKey\0"sv};
constexpr purpose to_server{"SMB2AESCCM\0"sv, "ServerIn \0"sv, "SMBC2SCipherKey\0"sv};
constexpr purpose to_client{"SMB2AESCCM\0"sv, "ServerOut\0"sv, "SMBS2CCipherKey\0"sv};

void derive(dialect negotiated, wire::bytes key, const purpose& use, const preauth_value& hash,
            std::span<std::byte> out) {
  if (negotiated == dialect::smb_3_1_1)
    kdf_counter(key, wire::as_bytes(use.label_3_1_1), hash, out);
  else
    kdf_counter(key, wire::as_bytes(use.label_3_0), wire::as_bytes(use.context_3_0), out);
}

} // namespace

void kdf_counter(wire::bytes key, pieces fixed, std::span<std::byte> out) {
  mac prf = mac::hmac_sha256(key);
  std::array<std::byte, 32> block;
  std::array<std::byte, 4> counter;
  for (wire::u32 i = 1; !out.empty(); ++i) {
    wire::store_be(counter.data(), i);
    prf.begin();
    prf.update(counter);
    for (const wire::bytes piece : fixed)
      prf.update(piece);
    prf.finish(block);
    const auto n = std::min(out.size(), block.size());
    std::copy_n(block.begin(), n, out.begin());
    out = out.subspan(n);
  }
}

void kdf_counter(wire::bytes key, wire::bytes label, wire::bytes context,
                 std::span<std::byte> out) {
  constexpr std::byte separator{};
  std::array<std::byte, 4> bits;
  wire::store_be(bits.data(), static_cast<wire::u32>(out.size() * 8));
  const wire::bytes fixed[] = {label, wire::bytes(&separator, 1), context, bits};
  kdf_counter(key, fixed, out);
}

session_keys derive_keys(dialect negotiated, wire::bytes session_key, const preauth_value& hash,
                         cipher sealing) {
  key_128 key{};
  std::copy_n(session_key.begin(), std::min(session_key.size(), key.size()), key.begin());

  session_keys keys;
  if (negotiated < dialect::smb_3_0) {
    keys.signing = key;
    keys.application = key;
    return keys;
  }
  derive(negotiated, key, signing, hash, keys.signing);
  derive(negotiated, key, application, hash, keys.application);

  // The AES-256 ciphers start from the whole key that authentication gave (Kerberos: 32 bytes).
  const bool wide = sealing == cipher::aes_256_ccm || sealing == cipher::aes_256_gcm;
  const wire::bytes from = wide && session_key.size() > key.size() ? session_key : wire::bytes(key);
  keys.encryption.size = keys.decryption.size = wide ? 32 : 16;
  derive(negotiated, from, to_server, hash,
         std::span(keys.encryption.data).first(keys.encryption.size));
  derive(negotiated, from, to_client, hash,
         std::span(keys.decryption.data).first(keys.decryption.size));
  return keys;
}

} // namespace smb2::crypto
