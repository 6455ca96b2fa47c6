#include "smb2/client_core.hpp"

#include "smb2/commands.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/signing.hpp"
#include "smb2/transform.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

namespace smb2 {

client_core::client_core(client_options options)
    : options_(options), credits_(options.credits_target), sent_(options.calls_max),
      framer_(message_bytes_max) {}

std::optional<u64> client_core::submit(const call_request& request, nanos now) {
  if (lost_ || failed() || queue_.size() >= options_.calls_max) return std::nullopt;
  call c;
  c.request = request;
  c.ticket = next_ticket_++;
  c.charge = credits_.charge_for(request.credit_bytes);
  c.times.submitted = now;
  if (!earliest_deadline_ || request.deadline < *earliest_deadline_)
    earliest_deadline_ = request.deadline;
  ++counters_.calls;
  queue_.push_back(std::move(c));
  return queue_.back().ticket;
}

std::optional<u64> client_core::abandon(u64 ticket) {
  const auto queued = std::ranges::find(queue_, ticket, &call::ticket);
  if (queued != queue_.end()) {
    queue_.erase(queued);
    return std::nullopt;
  }
  std::optional<u64> partly_sent;
  sent_.for_each([&](u64 message_id, call& c) {
    if (c.ticket != ticket || c.abandoned) return;
    if (c.in_transmission) partly_sent = message_id;
    request_cancel(message_id, c);
    c.abandoned = true;
    c.request.preauth = nullptr;
  });
  return partly_sent;
}

/// The call still answers, with STATUS_CANCELLED or with its result (MS-SMB2 3.2.4.24).
void client_core::request_cancel(u64 message_id, const call& c) {
  cancellations_.push_back(
      {message_id, c.async_id, c.request.session_id, c.request.tree_id, c.request.signer});
}

std::optional<wire::transmission> client_core::poll_transmit(nanos now) {
  if (sending_ || lost_ || failed()) return std::nullopt;
  if (!cancellations_.empty()) return transmit_cancel();
  while (!queue_.empty()) {
    if (!ready(queue_.front(), now)) return std::nullopt;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    if (auto out = transmit_call(std::move(next), now)) return out;
  }
  return std::nullopt;
}

/// Calls go out in order: a large one is not overtaken for ever by small ones. False: it waits.
/// One that no response on its way can make affordable ends here, to be dropped by transmit_call.
bool client_core::ready(call& next, nanos now) {
  const bool urgent =
      next.request.command == echo::number || next.request.command == oplock_break::number;
  if (credits_.affords(next.charge, urgent) && sent_.size() < sent_.capacity()) {
    next.times.granted = now;
    return true;
  }
  if (sent_.empty()) return true;
  if (!std::exchange(next.waited_for_credits, true)) ++counters_.credit_waits;
  return false;
}

header client_core::request_header(const call& c, const credit_window::grant& granted) const {
  header head;
  head.credit_charge = credits_.multi_credit() ? c.charge : u16{0};
  head.command = c.request.command;
  head.credits = granted.request;
  head.message_id = granted.message_id;
  head.tree_id = c.request.tree_id;
  head.session_id = c.request.session_id;
  if (c.request.signer) head.flags |= flags::is_signed;
  return head;
}

std::optional<wire::transmission> client_core::transmit_call(call next, nanos now) {
  if (!wire::known(next.times.granted)) {
    next.times.completed = now;
    finish(next, 0, call_outcome::no_credits, {});
    return std::nullopt;
  }
  constexpr auto prefix = direct_tcp::prefix_bytes;
  record_.clear();
  record_.zeros(prefix + header_bytes);
  next.request.encode(next.request.body, record_, prefix);
  const auto length = record_.size() - prefix;
  if (length > message_bytes_max) {
    finish(next, 0, call_outcome::too_long, {});
    return std::nullopt;
  }
  const auto granted = credits_.spend(next.charge);
  auto head = request_header(next, granted);
  wire::store_be(record_.patch(0, prefix).data(), static_cast<u32>(length));
  store_header(head, record_.patch(prefix, header_bytes).first<header_bytes>());
  collect_segments();
  if (next.request.signer) sign_record(head, *next.request.signer);
  if (next.request.preauth != nullptr) next.request.preauth->update(segments_);
  next.extra = granted.extra;
  next.request_bytes = static_cast<u32>(record_.size());
  next.in_transmission = true;
  sending_ = true;
  sent_.insert(granted.message_id, std::move(next));
  return wire::transmission{.message = &record_, .id = granted.message_id};
}

std::optional<wire::transmission> client_core::transmit_cancel() {
  const auto next = std::move(cancellations_.front());
  cancellations_.pop_front();
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
  if (next.signer) head.flags |= flags::is_signed;
  wire::store_be(record_.patch(0, prefix).data(), static_cast<u32>(record_.size() - prefix));
  store_header(head, record_.patch(prefix, header_bytes).first<header_bytes>());
  collect_segments();
  if (next.signer) sign_record(head, *next.signer);
  ++counters_.cancels;
  sending_ = true;
  return wire::transmission{.message = &record_, .id = cancel_transmission};
}

void client_core::collect_segments() {
  segments_.clear();
  record_.for_each_segment([this](bytes part) { segments_.push_back(part); });
  segments_.front() = segments_.front().subspan(direct_tcp::prefix_bytes);
}

void client_core::sign_record(header& head, message_signer& signer) {
  const signing_input input{.message_id = head.message_id,
                            .from_server = false,
                            .cancel = head.command == cancel::number};
  head.signature = signer.sign(segments_, input);
  auto to = record_.patch(direct_tcp::prefix_bytes + signature_offset, head.signature.size());
  std::ranges::copy(head.signature, to.begin());
}

void client_core::transmitted(u64 id, nanos encoded, nanos send_first, nanos send_last) {
  sending_ = false;
  if (id == cancel_transmission) return;
  auto* c = sent_.find(id);
  if (c == nullptr) return;
  c->in_transmission = false;
  c->times.encoded = encoded;
  c->times.q0 = send_first;
  c->times.q1 = send_last;
}

void client_core::receive(bytes data, nanos now) {
  framer_.feed(data, wire::stamp{.time = now, .packet = 0});
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
    const auto frame = framer_.next();
    if (!frame) {
      if (!framer_.in_step()) fail("bytes that are no SMB2");
      break;
    }
    if (auto event = take_frame(*frame)) return event;
  }
  return std::nullopt;
}

std::optional<call_event> client_core::take_frame(const wire::frame& frame) {
  frame_ = frame;
  switch (kind_of(frame.data)) {
  case message_kind::smb2:
    walker_.emplace(frame.data);
    return std::nullopt;
  case message_kind::keep_alive:
    return std::nullopt;
  case message_kind::sealed:
    return fail("a sealed message, though no sealing was agreed on");
  case message_kind::compressed:
    return fail("a compressed message, though no compression was agreed on");
  case message_kind::smb1:
    return fail("an SMB1 message: it does not speak SMB2");
  case message_kind::other:
    break;
  }
  return fail("bytes that are no SMB2");
}

std::optional<call_event> client_core::take_message(const submessage& message) {
  const auto& head = message.head;
  if (!head.response()) return fail("a request, where only responses may come");
  if (head.message_id == unsolicited_message_id) return take_break(message);
  auto* c = sent_.find(head.message_id);
  if (c == nullptr)
    return fail(fmt::format("a response to MessageId {}, which is not awaited", head.message_id));
  if (head.command != c->request.command)
    return fail(fmt::format("a {} response to the request {}", commands::name(head.command),
                            commands::name(c->request.command)));
  if (head.status == status::pending && head.async()) {
    take_interim(*c, head);
    return std::nullopt;
  }
  const bool good = c->abandoned || genuine(*c, message);
  settle(*c, head);
  const auto ended = std::move(*sent_.take(head.message_id));
  ++counters_.responses;
  if (ended.abandoned) {
    ++counters_.late_responses;
    return std::nullopt;
  }
  if (!good)
    fail(fmt::format("a response whose signature is wrong ({})", commands::name(head.command)));
  call_event out;
  out.user = ended.request.user;
  out.outcome = good ? call_outcome::replied : call_outcome::bad_signature;
  out.interim = ended.interim;
  out.partly_sent = ended.in_transmission;
  out.message_id = head.message_id;
  out.request_bytes = ended.request_bytes;
  out.reply_bytes =
      static_cast<u32>(message.wire_length + (message.index == 0 ? frame_.prefix_bytes : 0));
  out.head = head;
  out.message = message.data;
  out.times = ended.times;
  out.times.r0 = frame_.first.time;
  out.times.r1 = frame_.last.time;
  if (good && ended.request.preauth != nullptr &&
      (head.command == negotiate::number || head.status == status::more_processing_required))
    ended.request.preauth->update(std::span(&message.data, 1));
  return out;
}

/// Nobody has an oplock yet; whoever will, answers it by OPLOCK_BREAK (MS-SMB2 3.2.5.19).
std::optional<call_event> client_core::take_break(const submessage& message) {
  if (message.head.command != oplock_break::number)
    return fail("a response that answers no request");
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
}

void client_core::settle(call& c, const header& head) {
  if (!std::exchange(c.settled, true)) credits_.settle(c.charge, c.extra);
  credits_.refill(head.credits);
}

/// A session that is gone cannot sign that it is; such a response gives nothing but the refusal.
bool client_core::genuine(const call& c, const submessage& message) {
  if (!c.request.signer || c.request.checked_by_caller) return true;
  if (!message.head.is_signed())
    return message.head.status == status::user_session_deleted ||
           message.head.status == status::network_session_expired;
  return signature_matches(*c.request.signer, message.head, message.data);
}

std::nullopt_t client_core::fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
  return std::nullopt;
}

void client_core::finish(const call& ended, u64 message_id, call_outcome outcome,
                         std::error_code error) {
  if (ended.abandoned) return;
  call_event out;
  out.user = ended.request.user;
  out.outcome = outcome;
  out.interim = ended.interim;
  out.partly_sent = ended.in_transmission;
  out.message_id = message_id;
  out.request_bytes = ended.request_bytes;
  out.error = error;
  out.times = ended.times;
  events_.push_back(out);
}

void client_core::handle_timeout(nanos now) {
  earliest_deadline_.reset();
  const auto expired = [&](call& c, u64 message_id) {
    if (c.abandoned) return false;
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
    request_cancel(message_id, c);
    c.abandoned = true;
    c.request.preauth = nullptr;
  });
}

void client_core::connection_lost(std::error_code error, nanos now) {
  lost_ = true;
  sending_ = false;
  earliest_deadline_.reset();
  cancellations_.clear();
  while (!sent_.empty()) {
    const auto message_id = sent_.oldest_id();
    auto ended = std::move(*sent_.take(message_id));
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
  return earliest_deadline_;
}

} // namespace smb2
