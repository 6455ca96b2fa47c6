#include "smb2/client_core.hpp"

#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/signing.hpp"
#include "smb2/transform.hpp"
#include "wire/text.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

namespace smb2 {

namespace {

constexpr auto sealing_bytes = static_cast<u32>(transform_header::size);
/// Enough for the start of a frame and for many short ones; what is behind it is copied once more.
constexpr std::size_t between_long_reads_bytes = 4096;

} // namespace

client_core::client_core(client_options options)
    : options_(options), credits_(options.credits_target), sent_(options.calls_max) {}

std::optional<u64> client_core::submit(const call_request& request, nanos now) {
  return submit_compound(std::span(&request, 1), now);
}

std::optional<u64> client_core::submit_compound(std::span<const call_request> parts, nanos now) {
  if (lost_ || failed() || parts.empty() || parts.size() > compound_messages_max ||
      queue_.size() >= options_.calls_max)
    return std::nullopt;
  assert(!parts.front().related);
  const auto deadline = parts.front().deadline;
  if (!earliest_deadline_ || deadline < *earliest_deadline_) earliest_deadline_ = deadline;
  const auto ticket = next_ticket_++;
  for (const auto& request : parts) {
    assert(request.sealer == parts.front().sealer);
    auto& c = queue_.emplace_back();
    c.request = request;
    c.request.deadline = deadline;
    c.ticket = ticket;
    c.charge = credits_.charge_for(request.credit_bytes);
    c.part = static_cast<u16>(&request - parts.data());
    c.parts = static_cast<u16>(parts.size());
    c.times.submitted = now;
    ++counters_.calls;
  }
  return ticket;
}

void client_core::open_sealed_with(u64 session_id, std::shared_ptr<message_sealer> sealer) {
  if (sealer)
    sealers_[session_id] = std::move(sealer);
  else
    sealers_.erase(session_id);
}

void client_core::take_compressed_as(compression_agreement agreed, u32 bytes_max) {
  compression_ = std::move(agreed);
  decompressed_bytes_max_ = bytes_max;
}

std::optional<u64> client_core::abandon(u64 ticket) {
  if (std::erase_if(queue_, [&](const call& c) { return c.ticket == ticket; }) > 0)
    return std::nullopt;
  std::optional<u64> partly_sent;
  sent_.for_each([&](u64 message_id, call& c) {
    if (c.ticket != ticket || c.abandoned) return;
    if (c.in_transmission) partly_sent = c.frame_id;
    give_up(message_id, c);
  });
  return partly_sent;
}

void client_core::give_up(u64 message_id, call& c) {
  request_cancel(message_id, c);
  c.abandoned = true;
  c.request.preauth = nullptr;
  if (placing_for_ == message_id) intake_.displace();
}

/// The call still answers, with STATUS_CANCELLED or with its result (MS-SMB2 3.2.4.24).
void client_core::request_cancel(u64 message_id, const call& c) {
  cancellations_.push_back({message_id, c.async_id, c.request.session_id, c.request.tree_id,
                            c.request.signer, c.request.sealer});
}

void client_core::receive(bytes data, nanos now) {
  heard_ = now;
  probed_.reset();
  intake_.feed(data, now);
}

/// While long payloads are on their way, little is read of what stands before the next of them.
wire::reception client_core::poll_reception() const noexcept {
  wire::reception out;
  out.place = intake_.place();
  if (long_reads_ > 0) out.bytes_max = between_long_reads_bytes;
  return out;
}

/// The data of a READ response that comes alone goes to where its caller wants it.
std::optional<frame_place> client_core::place_of(bytes start, u64 length) {
  placing_for_.reset();
  if (start.size() < frame_intake::start_bytes || kind_of(start) != message_kind::smb2)
    return std::nullopt;
  const auto head = decode_header(start);
  if (!head || !head->response() || head->next_command != 0 || head->command != read::number ||
      head->status != status::success)
    return std::nullopt;
  const auto* c = sent_.find(head->message_id);
  if (c == nullptr || c->request.command != read::number || c->abandoned || c->request.sealer)
    return std::nullopt;
  const auto data = read::place_of_data(start);
  if (data.offset < frame_intake::start_bytes || data.offset > length ||
      data.length != length - data.offset || data.length > c->request.into.size())
    return std::nullopt;
  placing_for_ = head->message_id;
  return frame_place{.head_bytes = data.offset, .payload = c->request.into.first(data.length)};
}

std::optional<call_event> client_core::poll_event() {
  if (!events_.empty()) {
    auto out = std::move(events_.front());
    events_.pop_front();
    return out;
  }
  while (!failed() && !lost_) {
    if (walker_) {
      if (const auto message = walker_->next()) {
        if (auto event = take_message(*message)) return event;
        continue;
      }
      if (!walker_->ok()) return fail("a message that is cut wrongly");
      walker_.reset();
    }
    const auto frame =
        intake_.next([this](bytes start, u64 length) { return place_of(start, length); });
    if (!frame) {
      if (!intake_.in_step()) fail("bytes that are no SMB2");
      if (sent_.empty()) intake_.rest();
      break;
    }
    if (auto event = take_frame(*frame)) return event;
  }
  return std::nullopt;
}

std::optional<call_event> client_core::take_frame(const wire::frame& frame) {
  frame_ = frame;
  sealed_session_.reset();
  decompressed_.reset();
  switch (kind_of(frame.data)) {
  case message_kind::smb2:
    walker_.emplace(frame.data, frame.length);
    return std::nullopt;
  case message_kind::keep_alive:
    return std::nullopt;
  case message_kind::sealed:
    return take_sealed(frame.data);
  case message_kind::compressed:
    return take_compressed(frame.data);
  case message_kind::smb1:
    return fail("an SMB1 message: it does not speak SMB2");
  case message_kind::other:
    break;
  }
  return fail("bytes that are no SMB2");
}

/// · source: MS-SMB2 3.2.5.1.1.1
std::optional<call_event> client_core::take_sealed(bytes frame) {
  const auto head = decode_buffer<transform_header>(frame);
  if (!head || head->flags != transform_header::encrypted ||
      head->original_size != frame.size() - transform_header::size)
    return fail("a sealed message whose header is wrong", errc::not_secure);
  const auto found = sealers_.find(head->session_id);
  if (found == sealers_.end())
    return fail(fmt::format("a sealed message of session 0x{:x}, for which there is no key",
                            head->session_id),
                errc::not_secure);
  const auto plain = room_for_plain(head->original_size);
  if (!found->second->open(*head, frame, plain))
    return fail("a sealed message that cannot be opened: it was changed on its way, or the key is "
                "another",
                errc::not_secure);
  sealed_session_ = head->session_id;
  if (kind_of(plain) == message_kind::compressed) return take_compressed(plain);
  if (kind_of(plain) != message_kind::smb2) return fail("a sealed message that holds no SMB2");
  walker_.emplace(plain);
  return std::nullopt;
}

/// A long frame is opened in its place: it is in the caches already.
std::span<std::byte> client_core::room_for_plain(std::size_t size) {
  const auto own = intake_.own_bytes();
  if (!own.empty()) return own.subspan(transform_header::size, size);
  plain_.resize(size);
  return plain_;
}

/// What is signed is the message that was compressed, so that is what is verified.
/// · source: MS-SMB2 3.2.5.1.1.2
std::optional<call_event> client_core::take_compressed(bytes message) {
  if (compression_.algorithms.empty())
    return fail("a compressed message, though no compression was agreed on");
  auto plain = decompress(message, compression_, decompressed_bytes_max_);
  if (!plain)
    return fail(
        fmt::format("a compressed message that cannot be used ({})", describe(plain.error())));
  if (kind_of(*plain) != message_kind::smb2) return fail("a compressed message that holds no SMB2");
  ++counters_.decompressed_messages;
  decompressed_ = std::move(*plain);
  walker_.emplace(*decompressed_);
  return std::nullopt;
}

/// A message inside a sealed one is of the session whose key opened it; a break may name none.
bool client_core::in_its_session(const header& head) const {
  if (!sealed_session_ || head.session_id == *sealed_session_) return true;
  return head.message_id == unsolicited_message_id && head.session_id == 0;
}

std::optional<call_event> client_core::take_message(const submessage& message) {
  const auto& head = message.head;
  if (!head.response()) return fail("a request, where only responses may come");
  if (!in_its_session(head))
    return fail(fmt::format("a message of session 0x{:x} sealed with the key of session 0x{:x}",
                            head.session_id, *sealed_session_),
                errc::not_secure);
  if (head.message_id == unsolicited_message_id) return take_break(message);
  auto* c = sent_.find(head.message_id);
  if (c == nullptr)
    return fail(fmt::format("a response to MessageId {}, which is not awaited", head.message_id));
  if (head.command != c->request.command)
    return fail(fmt::format("a {} response to the request {}", commands::name(head.command),
                            commands::name(c->request.command)));
  const auto outcome = outcome_of(*c, message);
  if (outcome == call_outcome::replied && head.status == status::pending && head.async()) {
    take_interim(*c, head);
    return std::nullopt;
  }
  settle(*c, head);
  const auto ended = take_sent(head.message_id);
  note_credits(frame_.last.time);
  ++counters_.responses;
  if (outcome == call_outcome::bad_signature)
    fail(fmt::format("a response whose signature is wrong ({})", commands::name(head.command)),
         errc::not_secure);
  if (outcome == call_outcome::not_sealed)
    fail(fmt::format("a response that is not sealed, though its request was ({})",
                     commands::name(head.command)),
         errc::not_secure);
  if (ended.probe) return std::nullopt;
  if (ended.abandoned) {
    ++counters_.late_responses;
    return std::nullopt;
  }
  auto out = event_of(ended);
  out.outcome = outcome;
  out.message_id = head.message_id;
  out.reply_bytes = bytes_on_the_wire(message);
  out.head = head;
  out.message = message.data;
  out.placed_bytes = static_cast<u32>(intake_.placed().size());
  out.times.r0 = frame_.first.time;
  out.times.r1 = frame_.last.time;
  if (outcome == call_outcome::replied && ended.request.preauth != nullptr &&
      (head.command == negotiate::number || head.status == status::more_processing_required))
    ended.request.preauth->update(std::span(&message.data, 1));
  return out;
}

u32 client_core::bytes_on_the_wire(const submessage& message) const {
  const auto prefix = static_cast<u32>(frame_.prefix_bytes);
  if (decompressed_) return message.index == 0 ? prefix + static_cast<u32>(frame_.data.size()) : 0;
  const auto length = static_cast<u32>(message.wire_length);
  return message.index == 0 ? length + prefix + (sealed_session_ ? sealing_bytes : 0) : length;
}

/// Whoever holds the oplock or the lease answers it by OPLOCK_BREAK (MS-SMB2 3.2.5.19).
std::optional<call_event> client_core::take_break(const submessage& message) {
  if (message.head.command != oplock_break::number)
    return fail("a response that answers no request");
  ++counters_.breaks;
  call_event out;
  out.outcome = call_outcome::oplock_break;
  out.message_id = unsolicited_message_id;
  out.head = message.head;
  out.message = message.data;
  out.times.r0 = frame_.first.time;
  out.times.r1 = frame_.last.time;
  return out;
}

/// Interim responses are not signed (MS-SMB2 3.2.5.1.3); they grant, the final one mostly does not.
void client_core::take_interim(call& c, const header& head) {
  ++counters_.interim_responses;
  c.interim = true;
  c.async_id = head.async_id;
  settle(c, head);
  note_credits(frame_.last.time);
}

client_core::call client_core::take_sent(u64 message_id) {
  auto out = std::move(*sent_.take(message_id));
  if (is_long_read(out)) --long_reads_;
  return out;
}

void client_core::settle(call& c, const header& head) {
  if (!std::exchange(c.settled, true)) credits_.settle(c.charge, c.extra);
  credits_.refill(head.credits);
}

/// What is sealed with the key of the request's session needs no signature. Interim responses are
/// not signed (MS-SMB2 3.2.5.1.3), but sealed they are (3.3.4.1.4). A session that is gone cannot
/// sign that it is; such a response gives nothing but the refusal. Nobody asks for the signature of
/// a response that nobody waits for.
call_outcome client_core::outcome_of(const call& c, const submessage& message) {
  const auto& head = message.head;
  if (sealed_session_ && *sealed_session_ == c.request.session_id) return call_outcome::replied;
  if (c.request.sealer) return call_outcome::not_sealed;
  if (!c.request.signer || c.request.checked_by_caller || c.abandoned) return call_outcome::replied;
  if (head.status == status::pending && head.async()) return call_outcome::replied;
  const bool good = head.is_signed()
                        ? signature_matches(*c.request.signer, head, message.data, intake_.placed())
                        : head.status == status::user_session_deleted ||
                              head.status == status::network_session_expired;
  return good ? call_outcome::replied : call_outcome::bad_signature;
}

void client_core::note_credits(nanos now) {
  credit_history_.note({.time = now,
                        .available = credits_.available(),
                        .in_flight = static_cast<u32>(sent_.size())});
}

std::nullopt_t client_core::fail(std::string what, errc code) {
  if (!failure_.empty()) return std::nullopt;
  failure_ = std::move(what);
  failure_code_ = code;
  return std::nullopt;
}

call_event client_core::event_of(const call& ended) const {
  call_event out;
  out.user = ended.request.user;
  out.interim = ended.interim;
  out.partly_sent = ended.in_transmission;
  out.frame_id = ended.frame_id;
  out.part = ended.part;
  out.parts = ended.parts;
  out.request_bytes = ended.request_bytes;
  out.times = ended.times;
  return out;
}

void client_core::finish(const call& ended, u64 message_id, call_outcome outcome,
                         std::error_code error) {
  if (ended.abandoned || ended.probe) return;
  auto out = event_of(ended);
  out.outcome = outcome;
  out.message_id = message_id;
  out.error = error;
  events_.push_back(std::move(out));
}

void client_core::handle_timeout(nanos now) {
  check_silence(now);
  earliest_deadline_.reset();
  const auto expired = [&](call& c, u64 message_id) {
    if (c.abandoned || c.probe) return false;
    if (c.request.deadline > now) {
      if (!earliest_deadline_ || c.request.deadline < *earliest_deadline_)
        earliest_deadline_ = c.request.deadline;
      return false;
    }
    ++counters_.timeouts;
    c.times.completed = now;
    finish(c, message_id, call_outcome::timed_out, {});
    return true;
  };
  std::erase_if(queue_, [&](call& c) { return expired(c, 0); });
  sent_.for_each([&](u64 message_id, call& c) {
    if (!expired(c, message_id)) return;
    give_up(message_id, c);
  });
}

void client_core::connection_lost(std::error_code error, nanos now) {
  lost_ = true;
  sending_ = false;
  earliest_deadline_.reset();
  cancellations_.clear();
  while (!sent_.empty()) {
    const auto message_id = sent_.oldest_id();
    auto ended = take_sent(message_id);
    ended.times.completed = now;
    ended.in_transmission = false;
    finish(ended, message_id, call_outcome::connection_lost, error);
  }
  for (auto& ended : queue_) {
    ended.times.completed = now;
    finish(ended, 0, call_outcome::connection_lost, error);
  }
  queue_.clear();
}

std::optional<nanos> client_core::poll_timeout() const noexcept {
  if (queue_.empty() && sent_.empty()) return std::nullopt;
  const auto silence = silence_ends();
  if (!silence || !earliest_deadline_) return silence ? silence : earliest_deadline_;
  return std::min(*silence, *earliest_deadline_);
}

/// When the silence of the server has lasted long enough to do something about it.
std::optional<nanos> client_core::silence_ends() const noexcept {
  if (options_.quiet <= nanos{} || sent_.empty() || lost_ || failed()) return std::nullopt;
  return probed_ ? *probed_ + options_.echo_timeout : heard_ + options_.quiet;
}

/// A server that has a request for long and nothing to say answers an ECHO all the same. One that
/// could not be sent for want of credits proves nothing.
void client_core::check_silence(nanos now) {
  const auto ends = silence_ends();
  if (!ends || *ends > now) return;
  if (!probed_) {
    probe(now);
    return;
  }
  const bool waits = !queue_.empty() && queue_.front().probe && !sending_;
  if (waits)
    probed_ = now;
  else
    fail(fmt::format("nothing for {}, not even an answer to ECHO",
                     wire::text_of(options_.quiet + options_.echo_timeout)));
}

/// In front of what waits: it may use the credit that is held back. While a session is set up there
/// is none to ask in.
void client_core::probe(nanos now) {
  static const echo::request request;
  const call_request* model = nullptr;
  sent_.for_each([&](u64, const call& other) {
    if (other.request.command > session_setup::number) model = &other.request;
  });
  heard_ = now;
  if (model == nullptr) return;
  auto& c = queue_.emplace_front();
  c.request.session_id = model->session_id;
  c.request.signer = model->signer;
  c.request.sealer = model->sealer;
  c.request.command = echo::number;
  c.request.body = &request;
  c.request.encode = [](const void* body, wire::writer& out, std::size_t base) {
    encode(*static_cast<const echo::request*>(body), out, base);
  };
  c.probe = true;
  c.times.submitted = now;
  probed_ = now;
  ++counters_.probes;
}

} // namespace smb2
