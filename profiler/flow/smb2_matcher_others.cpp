// Whatever is no plain SMB2 message, for the smb2_matcher: sealed, compressed, SMB1, NetBIOS.

#include "profiler/flow/smb2_matcher.hpp"

#include "profiler/timing/operation_key.hpp"
#include "smb2/compression/message.hpp"

#include <algorithm>

namespace profiler::flow {

namespace {

constexpr auto proto = wire::protocol::smb2;
/// Of the SMB1 header: protocol id, command.
constexpr std::size_t smb1_command_offset = 4;
constexpr auto smb1_negotiate = std::byte{0x72};

/// Two names of NetBIOS in their first-level encoding: a length, 32 letters and a zero each.
constexpr std::size_t netbios_names_bytes = 68;
constexpr auto netbios_name_length = std::byte{32};

void count_sealed(context& shared, u64 session_id, const unsealed& what, coverage& seen) {
  auto& sessions = shared.smb.sessions;
  smb2_sealed_session unlisted;
  const bool listed = sessions.size() < smb_facts::sessions_max || sessions.contains(session_id);
  if (!listed) ++shared.smb.sessions_not_listed;
  auto& session = listed ? sessions[session_id] : unlisted;
  ++session.messages;
  switch (what.what) {
  case unsealed::outcome::no_key:
    ++seen.encrypted_without_key;
    ++session.without_key;
    session.hash_missing = shared.sealing.hash_missing(session_id);
    return;
  case unsealed::outcome::not_opened:
    ++seen.tag_failures;
    ++session.tag_failures;
    return;
  case unsealed::outcome::cut:
    ++seen.cut_messages;
    return;
  case unsealed::outcome::unverified:
    ++seen.decrypted_unverified;
    [[fallthrough]];
  case unsealed::outcome::opened:
    ++seen.decrypted_messages;
    ++session.decrypted;
    session.cipher = static_cast<u16>(shared.sealing.cipher_of(session_id));
    return;
  }
}

} // namespace

void smb2_matcher::on_sealed(direction d, const seen_message& m) {
  connection_.touch(proto, m.frame.last.time).encrypted = true;
  auto& seen = connection_.seen();
  ++seen.encrypted_messages;
  seen.encrypted_bytes += m.frame.length + m.frame.prefix_bytes;
  constexpr auto size = smb2::transform_header::size;
  if (m.frame.data.size() < size) {
    ++(m.frame.whole() ? seen.malformed : seen.cut_messages);
    return;
  }
  const auto head = smb2::decode_buffer_prefix<smb2::transform_header>(m.frame.data).message;
  if (head.original_size > m.frame.length - size) {
    ++seen.malformed;
    return;
  }
  note_session(head.session_id);
  const auto unsealed = shared_.sealing.open(d, head, m.frame.data);
  count_sealed(shared_, head.session_id, unsealed, seen);
  if (!unsealed.plain.empty()) return look_into(m, head, unsealed.plain);
  if (unsealed.what == unsealed::outcome::no_key) pair_sealed(d, head, m);
}

/// The message inside takes the place of the sealed one; what the seal takes is prefix.
void smb2_matcher::look_into(const seen_message& sealed, const smb2::transform_header& head,
                             bytes plain) {
  auto m = sealed;
  m.frame.data = plain;
  m.frame.length = head.original_size;
  m.frame.prefix_bytes += smb2::transform_header::size;
  if (smb2::kind_of(plain) == smb2::message_kind::compressed)
    on_compressed(m, true);
  else
    on_smb2(m);
}

void smb2_matcher::pair_sealed(direction d, const smb2::transform_header& head,
                               const seen_message& m) {
  connection_.seen().encrypted_unpaired +=
      d == direction::to_server ? pairs_.request(head.session_id, m)
                                : pairs_.response(head.session_id, head.original_size, m);
}

void smb2_matcher::emit_sealed(const call_times& times, wire::exchange e) {
  request r;
  r.times = times;
  r.bytes = times.bytes;
  r.command = timing::sealed_operation;
  ++connection_.seen().calls;
  emit(r, 0, {}, e);
}

void smb2_matcher::on_compressed(const seen_message& m, bool inside_sealed) {
  connection_.touch(proto, m.frame.last.time);
  auto& seen = connection_.seen();
  ++seen.compressed_messages;
  compressed_seen_ = true;
  if (m.frame.data.size() < smb2::compression_header::size) {
    ++(m.frame.whole() ? seen.malformed : seen.cut_messages);
    return;
  }
  const auto head = smb2::decode_buffer_prefix<smb2::compression_header>(m.frame.data).message;
  auto& counts = shared_.smb.compressed;
  ++counts[std::min<std::size_t>(head.algorithm, counts.size() - 1)];
  shared_.smb.uncompressed_bytes += head.original_segment_size;
  if (inside_sealed) ++shared_.smb.compressed_inside;
  if (m.frame.whole()) decompress(m);
}

/// The message inside takes the place of the compressed one: its bytes are those before
/// compression.
void smb2_matcher::decompress(const seen_message& compressed) {
  const auto plain = smb2::decompress(compressed.frame.data, smb2_decompressed_bytes_max);
  if (!plain || smb2::kind_of(*plain) != smb2::message_kind::smb2) return;
  ++connection_.seen().decompressed_messages;
  auto m = compressed;
  m.frame.data = *plain;
  m.frame.length = static_cast<u32>(plain->size());
  on_smb2(m);
}

/// Of SMB1 nothing is timed; only a NEGOTIATE that is answered in SMB2 is.
void smb2_matcher::on_smb1(direction d, const seen_message& m) {
  ++connection_.seen().smb1_messages;
  smb1_seen_ = true;
  const auto data = m.frame.data;
  if (data.size() <= smb1_command_offset) return;
  auto& count = shared_.smb.smb1[std::to_integer<std::size_t>(data[smb1_command_offset])];
  ++(d == direction::to_server ? count.requests : count.responses);
  if (data[smb1_command_offset] != smb1_negotiate || d != direction::to_server) return;
  smb1_negotiate_.emplace();
  smb1_negotiate_->times = call_times(m);
  smb1_negotiate_->bytes = smb1_negotiate_->times.bytes;
}

/// What stands behind a prefix and has no protocol id. The framer gives no types away; where they
/// may stand and how long they are tells them apart (RFC 1002 section 4.3.2 to 4.3.6).
void smb2_matcher::on_session_packet(direction d, const seen_message& m) {
  auto& facts = shared_.smb;
  const auto data = m.frame.data;
  if (d == direction::to_server && m.frame.length >= netbios_names_bytes && !data.empty() &&
      data.front() == netbios_name_length) {
    ++facts.netbios_requests;
    session_asked_ = true;
  } else if (d == direction::to_client && std::exchange(session_asked_, false)) {
    ++(m.frame.length == 0   ? facts.netbios_accepted
       : m.frame.length == 1 ? facts.netbios_refused
                             : facts.netbios_retargeted);
  } else if (m.frame.length == 0) {
    ++facts.keep_alives;
  } else {
    auto& seen = connection_.seen();
    ++(data.size() < 4 && !m.frame.whole() ? seen.cut_messages : seen.malformed);
  }
}

} // namespace profiler::flow
