#include "profiler/flow/smb2_sealing.hpp"

#include "smb2/crypto/keys.hpp"
#include "smb2/crypto/sealer.hpp"
#include "smb2/header.hpp"

#include <algorithm>

namespace profiler::flow {

namespace {

using smb2::cipher;

constexpr std::array ciphers{cipher::aes_128_gcm, cipher::aes_128_ccm, cipher::aes_256_gcm,
                             cipher::aes_256_ccm};
/// Protocol id and StructureSize: enough to know a message by.
constexpr std::size_t told_by_bytes = 6;

/// Of 6 bytes or more. A wrong key gives this once in 2^32 messages, and the next key is not asked.
bool looks_like_smb2(bytes plain) noexcept {
  const auto kind = smb2::kind_of(plain);
  return kind == smb2::message_kind::compressed ||
         (kind == smb2::message_kind::smb2 &&
          wire::load_le<u16>(plain.data() + 4) == smb2::header_bytes);
}

} // namespace

bool smb2_sealing::wants(u64 session_id) const {
  const auto [from, to] = keys_.of(session_id);
  return std::any_of(from, to, [](const auto& line) { return !line.second.session.empty(); });
}

/// False when neither key is one of this algorithm.
bool smb2_sealing::add(session& s, cipher algorithm, bytes to_server, bytes to_client) {
  if (s.openers.size() >= openers_max) return false;
  opener with;
  with.algorithm = algorithm;
  const std::array keys{to_server, to_client};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto whole = smb2::crypto::aead::create(algorithm, keys[i]);
    auto start = smb2::crypto::counter_mode::create(algorithm, keys[i]);
    if (!whole || !start) continue; // a key of another length, or none
    with.whole[i].emplace(std::move(*whole));
    with.start[i].emplace(std::move(*start));
  }
  if (!with.whole[0] && !with.whole[1]) return false;
  s.openers.push_back(std::move(with));
  return true;
}

/// The keys that stand in the file; what has to be derived comes with establish(), but for 3.0 and
/// 3.0.2, where nothing of the handshake is in the keys.
smb2_sealing::session& smb2_sealing::session_of(u64 session_id) {
  const auto [found, fresh] = sessions_.try_emplace(session_id);
  auto& s = found->second;
  if (!fresh) return s;
  const auto [from, to] = keys_.of(session_id);
  for (auto line = from; line != to; ++line)
    for (const auto algorithm : ciphers)
      s.complete |= add(s, algorithm, line->second.to_server, line->second.to_client);
  add_derived(s, session_id, smb2::dialect::smb_3_0_2, cipher::aes_128_ccm, {});
  return s;
}

void smb2_sealing::add_derived(session& s, u64 session_id, smb2::dialect negotiated, cipher sealing,
                               const smb2::crypto::preauth_value& hash) {
  const auto [from, to] = keys_.of(session_id);
  for (auto line = from; line != to; ++line) {
    if (line->second.session.empty()) continue;
    const auto derived = smb2::crypto::derive_keys(negotiated, line->second.session, hash, sealing);
    add(s, sealing, derived.encryption.view(), derived.decryption.view());
  }
}

void smb2_sealing::establish(u64 session_id, smb2::dialect negotiated, cipher sealing,
                             const smb2::crypto::preauth_value* hash) {
  if (!wants(session_id)) return;
  auto& s = session_of(session_id);
  if (negotiated == smb2::dialect::smb_3_0 || negotiated == smb2::dialect::smb_3_0_2) {
    s.complete = true;
    return;
  }
  if (negotiated != smb2::dialect::smb_3_1_1 || hash == nullptr) {
    s.hash_missing = true;
    return;
  }
  s.complete = true;
  s.hash_missing = false;
  for (const auto algorithm : ciphers)
    if (sealing == cipher::none || sealing == algorithm)
      add_derived(s, session_id, negotiated, algorithm, *hash);
}

unsealed smb2_sealing::open_with(opener& with, direction d, const smb2::transform_header& head,
                                 bytes message) {
  const auto i = index_of(d);
  if (!with.whole[i]) return {};
  const auto nonce = bytes(head.nonce).first(with.whole[i]->nonce_bytes());
  const auto sealed = message.subspan(smb2::transform_header::size);
  const auto length = std::min<std::size_t>(sealed.size(), head.original_size);
  std::array<std::byte, told_by_bytes> sample;
  if (length < sample.size()) return {.what = unsealed::outcome::cut, .plain = {}};
  with.start[i]->decrypt_start(nonce, sealed.first(sample.size()), sample);
  if (!looks_like_smb2(sample)) return {.what = unsealed::outcome::not_opened, .plain = {}};

  const auto plain = std::span(plain_).first(length);
  if (length < head.original_size) {
    with.start[i]->decrypt_start(nonce, sealed.first(length), plain);
    return {.what = unsealed::outcome::unverified, .plain = plain};
  }
  if (!smb2::crypto::open_sealed(*with.whole[i], head, message, plain))
    return {.what = unsealed::outcome::not_opened, .plain = {}};
  return {.what = unsealed::outcome::opened, .plain = plain};
}

unsealed smb2_sealing::open(direction d, const smb2::transform_header& head, bytes message) {
  const auto [from, to] = keys_.of(head.session_id);
  if (from == to) return {};
  auto& s = session_of(head.session_id);
  plain_.resize(std::max(plain_.size(), message.size()));
  unsealed out;
  for (std::size_t i = 0; i < s.openers.size(); ++i) {
    const auto tried = open_with(s.openers[i], d, head, message);
    if (tried.what == unsealed::outcome::no_key) continue;
    out = tried;
    if (out.plain.empty()) continue;
    s.openers[i].fitted = true;
    std::swap(s.openers[0], s.openers[i]);
    return out;
  }
  if (out.what != unsealed::outcome::not_opened || s.complete) return out;
  s.hash_missing = true;
  return {};
}

cipher smb2_sealing::cipher_of(u64 session_id) const {
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second.openers.empty()) return cipher::none;
  const auto& first = found->second.openers.front();
  return first.fitted ? first.algorithm : cipher::none;
}

bool smb2_sealing::hash_missing(u64 session_id) const {
  const auto found = sessions_.find(session_id);
  return found != sessions_.end() && found->second.hash_missing;
}

} // namespace profiler::flow
