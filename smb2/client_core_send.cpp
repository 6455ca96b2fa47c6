// The sending half of the core: what is taken from the queue, numbered, signed and sealed.
#include "smb2/client_core.hpp"

#include "smb2/commands.hpp"

#include <algorithm>
#include <utility>

namespace smb2 {

namespace {

constexpr auto sealing_bytes = static_cast<u32>(transform_header::size);

} // namespace

std::optional<wire::transmission> client_core::poll_transmit(nanos now) {
  if (sending_ || lost_ || failed()) return std::nullopt;
  while (!cancellations_.empty())
    if (auto out = transmit_cancel()) return out;
  while (!queue_.empty()) {
    if (!ready(queue_.front(), now)) return std::nullopt;
    if (auto out = transmit_calls(now)) return out;
  }
  return std::nullopt;
}

/// Calls go out in order: a large one is not overtaken for ever by small ones. False: it waits.
/// One that no response on its way can make affordable ends here, to be dropped by transmit_calls.
bool client_core::ready(call& next, nanos now) {
  const bool urgent = next.parts == 1 && (next.request.command == echo::number ||
                                          next.request.command == oplock_break::number);
  u32 charge = 0;
  for (std::size_t i = 0; i < next.parts; ++i)
    charge += queue_[i].charge;
  if (credits_.affords(charge, urgent) && sent_.capacity() - sent_.size() >= next.parts) {
    next.times.granted = now;
    return true;
  }
  if (sent_.empty()) return true;
  if (!std::exchange(next.waited_for_credits, true)) ++counters_.credit_waits;
  return false;
}

std::optional<wire::transmission> client_core::transmit_calls(nanos now) {
  const auto parts = queue_.front().parts;
  outgoing_.clear();
  for (std::size_t i = 0; i < parts; ++i) {
    outgoing_.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  auto* const sealer = outgoing_.front().request.sealer.get();
  if (!wire::known(outgoing_.front().times.granted)) {
    for (auto& c : outgoing_)
      c.times.completed = now;
    refuse_outgoing(call_outcome::no_credits);
    return std::nullopt;
  }
  if (sealer != nullptr && sealer->used_up()) {
    refuse_outgoing(call_outcome::key_used_up);
    return std::nullopt;
  }
  encode_outgoing();
  const auto length =
      record_.size() - direct_tcp::prefix_bytes + (sealer != nullptr ? sealing_bytes : 0);
  if (length > message_bytes_max) {
    refuse_outgoing(call_outcome::too_long);
    return std::nullopt;
  }
  number_outgoing(now);
  const auto* record = &record_;
  if (sealer != nullptr) {
    record = &seal_record(outgoing_.front().request.session_id, *sealer);
    outgoing_.front().request_bytes += sealing_bytes;
  }
  const auto id = outgoing_.front().frame_id;
  if (parts > 1) ++counters_.compounds;
  if (sent_.empty()) heard_ = now;
  for (std::size_t i = 0; i < parts; ++i) {
    if (is_long_read(outgoing_[i])) ++long_reads_;
    sent_.insert(in_transmission_[i], std::move(outgoing_[i]));
  }
  note_credits(now);
  sending_ = true;
  return wire::transmission{.message = record, .id = id};
}

void client_core::refuse_outgoing(call_outcome outcome) {
  for (const auto& c : outgoing_)
    finish(c, 0, outcome, {});
}

/// All of `record_` but lengths, headers and signatures, which need the whole.
void client_core::encode_outgoing() {
  constexpr auto prefix = direct_tcp::prefix_bytes;
  record_.clear();
  record_.zeros(prefix);
  starts_.clear();
  for (const auto& c : outgoing_) {
    const auto end = record_.size() - prefix;
    record_.zeros(wire::align_up(end, 8) - end);
    starts_.push_back(record_.size());
    record_.zeros(header_bytes);
    c.request.encode(c.request.body, record_, starts_.back());
  }
  starts_.push_back(record_.size());
}

/// Spends the credits and finishes the messages: the padding before the next part belongs to each,
/// and is signed with it.
void client_core::number_outgoing(nanos now) {
  in_transmission_.clear();
  store_length(record_);
  const auto parts = outgoing_.size();
  for (std::size_t i = 0; i < parts; ++i) {
    auto& c = outgoing_[i];
    const auto granted = credits_.spend(c.charge);
    in_transmission_.push_back(granted.message_id);
    c.frame_id = in_transmission_.front();
    c.extra = granted.extra;
    c.in_transmission = true;
    c.times.granted = now;
    const auto length = starts_[i + 1] - starts_[i];
    c.request_bytes = static_cast<u32>(length + (i == 0 ? direct_tcp::prefix_bytes : 0));
    auto head = request_header(c, granted);
    if (i + 1 < parts) head.next_command = static_cast<u32>(length);
    store_header_at(head, starts_[i]);
    if (head.is_signed()) sign_record(head, starts_[i], starts_[i + 1], *c.request.signer);
    if (c.request.preauth != nullptr)
      c.request.preauth->update(segments_of(starts_[i], starts_[i + 1]));
  }
}

header client_core::request_header(const call& c, const credit_window::grant& granted) const {
  header head;
  head.credit_charge = credits_.multi_credit() ? c.charge : u16{0};
  head.command = c.request.command;
  head.credits = granted.request;
  head.message_id = granted.message_id;
  head.tree_id = c.request.tree_id;
  head.session_id = c.request.session_id;
  // Of requests of 3.x the status is ChannelSequence (MS-SMB2 2.2.1.2).
  head.status = c.request.channel_sequence;
  if (c.request.replay) head.flags |= flags::replay_operation;
  if (c.request.related) head.flags |= flags::related_operations;
  if (c.request.signer && !c.request.sealer) head.flags |= flags::is_signed;
  return head;
}

std::optional<wire::transmission> client_core::transmit_cancel() {
  const auto next = std::move(cancellations_.front());
  cancellations_.pop_front();
  if (next.sealer && next.sealer->used_up()) return std::nullopt;
  constexpr auto prefix = direct_tcp::prefix_bytes;
  record_.clear();
  record_.zeros(prefix + header_bytes);
  encode(cancel::request{}, record_, prefix);
  header head;
  head.command = cancel::number;
  head.session_id = next.session_id;
  head.message_id = next.message_id;
  head.tree_id = next.tree_id;
  if (next.async_id != 0) {
    head.flags |= flags::async_command;
    head.async_id = next.async_id;
  }
  if (next.signer && !next.sealer) head.flags |= flags::is_signed;
  store_length(record_);
  store_header_at(head, prefix);
  if (head.is_signed()) sign_record(head, prefix, record_.size(), *next.signer);
  ++counters_.cancels;
  sending_ = true;
  const auto* record = &record_;
  if (next.sealer) record = &seal_record(next.session_id, *next.sealer);
  return wire::transmission{.message = record, .id = cancel_transmission};
}

void client_core::store_header_at(const header& head, std::size_t start) {
  store_header(head, record_.patch(start, header_bytes).first<header_bytes>());
}

void client_core::store_length(wire::writer& record) {
  constexpr auto prefix = direct_tcp::prefix_bytes;
  wire::store_be(record.patch(0, prefix).data(), static_cast<u32>(record.size() - prefix));
}

/// Those bytes of `record_`, in pieces; good until the next call.
std::span<const bytes> client_core::segments_of(std::size_t from, std::size_t to) {
  segments_.clear();
  std::size_t at = 0;
  record_.for_each_segment([&](bytes piece) {
    const auto begin = std::max(at, from);
    const auto end = std::min(at + piece.size(), to);
    if (begin < end) segments_.push_back(piece.subspan(begin - at, end - begin));
    at += piece.size();
  });
  return segments_;
}

void client_core::sign_record(header& head, std::size_t from, std::size_t to,
                              message_signer& signer) {
  const signing_input input{.message_id = head.message_id,
                            .from_server = false,
                            .cancel = head.command == cancel::number};
  head.signature = signer.sign(segments_of(from, to), input);
  auto place = record_.patch(from + signature_offset, head.signature.size());
  std::ranges::copy(head.signature, place.begin());
}

/// What `record_` holds, as one sealed message.
const wire::writer& client_core::seal_record(u64 session_id, message_sealer& sealer) {
  constexpr auto prefix = direct_tcp::prefix_bytes;
  const auto length = record_.size() - prefix + transform_header::size;
  if (sealed_.size() < length) sealed_.resize(length); // never cleared: all of it is written over
  const auto room = std::span(sealed_).first(length);
  sealed_record_.clear();
  sealed_record_.zeros(prefix);
  sealed_record_.borrow(room);
  store_length(sealed_record_);
  sealer.seal(session_id, segments_of(prefix, record_.size()), room);
  ++counters_.sealed_messages;
  return sealed_record_;
}

void client_core::transmitted(u64 id, nanos encoded, nanos send_first, nanos send_last) {
  sending_ = false;
  if (id == cancel_transmission) return;
  for (const auto message_id : in_transmission_) {
    auto* c = sent_.find(message_id);
    if (c == nullptr) continue;
    c->in_transmission = false;
    c->times.encoded = encoded;
    c->times.q0 = send_first;
    c->times.q1 = send_last;
  }
}

} // namespace smb2
