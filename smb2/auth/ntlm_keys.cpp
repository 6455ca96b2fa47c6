#include "smb2/auth/ntlm_keys.hpp"

#include "smb2/crypto/equal.hpp"

#include <algorithm>
#include <cassert>
#include <cwctype>
#include <locale.h>
#include <memory>

namespace smb2::auth {
namespace {

using namespace std::string_view_literals;

struct free_locale {
  using pointer = locale_t;
  void operator()(locale_t it) const noexcept { freelocale(it); }
};

/// Windows upper-cases by a table of Unicode's simple mappings; that of the C library is the same
/// one but for a few letters that were added since. Without a Unicode locale only ASCII is mapped.
wint_t upper(wint_t c) {
  static const std::unique_ptr<locale_t, free_locale> unicode(
      newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{}));
  if (unicode != nullptr) return towupper_l(c, unicode.get());
  return c >= L'a' && c <= L'z' ? c - (L'a' - L'A') : c;
}

/// SIGNKEY and SEALKEY of one direction; the NUL is hashed.
struct magic_constants {
  std::string_view signing;
  std::string_view sealing;
};
constexpr magic_constants client_to_server{
    "session key to client-to-server signing key magic constant\0"sv,
    "session key to client-to-server sealing key magic constant\0"sv};
constexpr magic_constants server_to_client{
    "session key to server-to-client signing key magic constant\0"sv,
    "session key to server-to-client sealing key magic constant\0"sv};

const magic_constants& magic_of(ntlm_direction direction) {
  return direction == ntlm_direction::client_to_server ? client_to_server : server_to_client;
}

digest_128 directed_key(const legacy& with, bytes key, std::string_view magic) {
  const bytes parts[] = {key, wire::as_bytes(magic)};
  return with.md5(parts);
}

/// SEALKEY weakens the key unless 128 bits were negotiated.
bytes sealing_strength(const key_128& key, u32 flags) {
  if ((flags & ntlm_flag::key_128) != 0) return key;
  return bytes(key).first((flags & ntlm_flag::key_56) != 0 ? 7 : 5);
}

} // namespace

utf16_string to_upper(utf16_view text) {
  utf16_string out;
  out.data.assign(text.data.begin(), text.data.end());
  for (std::size_t i = 0; i + 1 < out.data.size(); i += 2) {
    const auto mapped = upper(wire::load_le<u16>(out.data.data() + i));
    if (mapped <= 0xFFFF) wire::store_le(out.data.data() + i, static_cast<u16>(mapped));
  }
  return out;
}

digest_128 nt_hash(const legacy& with, utf16_view password) {
  return with.md4(password.data);
}

digest_128 ntowf_v2(const legacy& with, const digest_128& nt_hash, utf16_view user,
                    utf16_view domain) {
  const auto upper_user = to_upper(user);
  const bytes identity[] = {upper_user.data, domain.data};
  return with.hmac_md5(nt_hash, identity);
}

ntlmv2_proof prove(const legacy& with, const digest_128& ntowf_v2, const ntlm_challenge& server,
                   bytes temp) {
  ntlmv2_proof out;
  const bytes challenges[] = {server, temp};
  out.nt_proof_str = with.hmac_md5(ntowf_v2, challenges);
  const bytes proof[] = {out.nt_proof_str};
  out.session_base_key = with.hmac_md5(ntowf_v2, proof);
  return out;
}

std::array<std::byte, 24> lmv2_response(const legacy& with, const digest_128& ntowf_v2,
                                        const ntlm_challenge& server,
                                        const ntlm_challenge& client) {
  const bytes challenges[] = {server, client};
  const auto proof = with.hmac_md5(ntowf_v2, challenges);
  std::array<std::byte, 24> out;
  std::ranges::copy(client, std::ranges::copy(proof, out.begin()).out);
  return out;
}

ntlm_mic message_integrity(const legacy& with, const key_128& exported_session_key, bytes negotiate,
                           bytes challenge, bytes authenticate) {
  constexpr ntlm_mic zero{};
  constexpr auto at = authenticate_message::mic_offset;
  assert(authenticate.size() >= at + zero.size());
  const bytes messages[] = {negotiate, challenge, authenticate.first(at), zero,
                            authenticate.subspan(at + zero.size())};
  return with.hmac_md5(exported_session_key, messages);
}

ntlm_signature_stream::ntlm_signature_stream(const legacy& with,
                                             const key_128& exported_session_key, u32 flags,
                                             ntlm_direction direction)
    : with_(&with),
      signing_key_(directed_key(with, exported_session_key, magic_of(direction).signing)),
      sealing_key_(directed_key(with, sealing_strength(exported_session_key, flags),
                                magic_of(direction).sealing)),
      sealing_(with.rc4_with(sealing_key_)), key_exchange_((flags & ntlm_flag::key_exchange) != 0) {
}

std::array<std::byte, ntlm_signature_stream::signature_bytes>
ntlm_signature_stream::sign(bytes message) {
  std::array<std::byte, 4> sequence;
  wire::store_le(sequence.data(), sequence_++);
  const bytes parts[] = {sequence, message};
  auto digest = with_->hmac_md5(signing_key_, parts);
  const auto checksum = std::span(digest).first(8);
  if (key_exchange_) sealing_.apply(checksum);

  std::array<std::byte, signature_bytes> out;
  wire::store_le(out.data(), u32{1});
  std::ranges::copy(sequence, std::ranges::copy(checksum, out.begin() + 4).out);
  return out;
}

bool ntlm_signature_stream::verify(bytes message, bytes signature) {
  const auto expected = sign(message);
  return crypto::equal(expected, signature);
}

} // namespace smb2::auth
