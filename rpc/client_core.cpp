#include "rpc/client_core.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace rpc {

namespace {

constexpr u32 mark_bytes = 4;

} // namespace

std::vector<std::byte> encode_credential(const std::optional<auth_sys>& who, u32 stamp) {
  wire::writer body;
  opaque_auth credential;
  std::vector<std::byte> flat;
  if (who) {
    auth_sys_parms parms;
    parms.stamp = stamp;
    parms.machine_name =
        std::string_view(who->machine_name).substr(0, auth_sys_parms::machine_name_bytes_max);
    parms.uid = who->uid;
    parms.gid = who->gid;
    const auto groups = std::min<std::size_t>(who->gids.size(), auth_sys_parms::groups_max);
    parms.gids.assign(who->gids.begin(), who->gids.begin() + static_cast<std::ptrdiff_t>(groups));
    static_cast<void>(encode(parms, body)); // cut to its limits above
    flat = body.flatten();
    credential.flavor = auth_flavor::sys;
    credential.body = flat;
  }
  wire::writer out;
  static_cast<void>(encode(credential, out));
  static_cast<void>(encode(opaque_auth{}, out)); // the verifier
  return out.flatten();
}

client_core::client_core(client_options options)
    : options_(std::move(options)),
      credential_(encode_credential(options_.credential, options_.first_xid)),
      calls_(options_.calls_max), framer_(record_bytes_max), next_xid_(options_.first_xid) {
  assert(options_.fragment_bytes_max > 0);
}

std::optional<u32> client_core::submit(const call_request& request, nanos now) {
  if (lost_ || failed_ || !make_room()) return std::nullopt;
  const auto xid = fresh_xid();
  call c;
  c.request = request;
  c.times.submitted = now;
  calls_.insert(xid, c);
  queue_.push_back(xid);
  ++queued_;
  if (!earliest_deadline_ || request.deadline < *earliest_deadline_)
    earliest_deadline_ = request.deadline;
  ++counters_.calls;
  return xid;
}

/// An abandoned call may be forgotten for a new one: its reply then counts as unknown.
bool client_core::make_room() {
  if (calls_.size() < calls_.capacity()) return true;
  std::optional<u64> victim;
  calls_.for_each([&](u64 xid, const call& c) {
    if (!victim && c.abandoned && c.at == progress::sent) victim = xid;
  });
  if (victim) calls_.take(*victim);
  return victim.has_value();
}

bool client_core::abandon(u32 xid) {
  auto* c = calls_.find(xid);
  if (c == nullptr) return false;
  if (c->at == progress::queued) {
    calls_.take(xid);
    --queued_;
    return false;
  }
  c->abandoned = true;
  c->request.args = nullptr;
  c->request.user = nullptr;
  return c->at == progress::sending;
}

std::optional<wire::transmission> client_core::poll_transmit(nanos now) {
  if (sending_ || lost_) return std::nullopt;
  if (ending_) return send_destroy();
  while (auto* c = first_queued()) {
    if (options_.gss && !may_send_call()) {
      if (!needs_token()) return std::nullopt; // the server's answer or a place in its window
      if (auto token = send_token(*c, now)) return token;
      continue; // with a failure that has ended the calls which waited
    }
    const auto xid = queue_.front();
    switch (encode_call(xid, *c)) {
    case encoding::done:
      leave_queue();
      c->at = progress::sending;
      if (c->sent == 0) c->times.granted = now; // until now earlier messages had the socket
      return send(xid);
    case encoding::over_limit:
      end_unsent(xid, call_outcome::bad_arguments);
      break;
    case encoding::context_expired:
      context_.reset();
      if (std::exchange(c->repeated, true))
        end_unsent(xid, call_outcome::no_context, "it expires as soon as it is made");
      break;
    }
  }
  return std::nullopt;
}

/// Forgets the calls before it that are gone.
client_core::call* client_core::first_queued() {
  for (; !queue_.empty(); queue_.pop_front()) {
    auto* c = calls_.find(queue_.front());
    if (c != nullptr && c->at == progress::queued) return c;
  }
  return nullptr;
}

void client_core::leave_queue() {
  queue_.pop_front();
  --queued_;
}

/// The next in the queue.
void client_core::end_unsent(u32 xid, call_outcome outcome, const std::string& explanation) {
  leave_queue();
  const auto ended = *calls_.take(xid);
  finish(xid, ended, outcome, {}, explanation);
}

u32 client_core::fresh_xid() {
  while (calls_.find(next_xid_) != nullptr)
    ++next_xid_; // a full turn of 2^32 calls met one that is still in flight
  return next_xid_++;
}

void client_core::start_record() {
  record_.clear();
  fragments_.clear();
  if (!options_.datagrams) record_.be(u32{0});
}

client_core::encoding client_core::encode_call(u32 xid, call& c) {
  const auto& request = c.request;
  const call_numbers numbers{xid, request.program, request.version, request.procedure};
  start_record();
  if (options_.gss) {
    const auto sequence = context_->seal(
        numbers, [&](wire::writer& out) { return request.encode(request.args, out); }, record_);
    if (!sequence)
      return sequence.error() == errc::no_context ? encoding::context_expired
                                                  : encoding::over_limit;
    if (c.context == context_)
      c.earlier_sequences.push_back(c.sequence);
    else
      c.earlier_sequences.clear();
    c.sequence = *sequence;
    c.context = context_;
    last_call_ = numbers;
  } else {
    put(numbers, record_);
    record_.put(credential_);
    if (!request.encode(request.args, record_)) return encoding::over_limit;
  }
  return frame_record(c.request_bytes) ? encoding::done : encoding::over_limit;
}

/// Sets the record mark, or cuts what is too long for one fragment. False: too long for a record.
bool client_core::frame_record(u32& message_bytes) {
  if (options_.datagrams) {
    message_bytes = static_cast<u32>(record_.size());
    if (record_.size() > options_.datagrams->unfragmented_bytes_max)
      ++counters_.fragmented_datagrams;
    return record_.size() <= datagram_options::bytes_max;
  }
  const auto length = record_.size() - mark_bytes;
  if (length > record_bytes_max) return false;
  if (length > options_.fragment_bytes_max)
    cut_into_fragments();
  else
    wire::store_be(record_.patch(0, mark_bytes).data(),
                   static_cast<u32>(length) | record_mark::last_fragment);
  message_bytes = static_cast<u32>(message().size());
  return true;
}

const wire::writer& client_core::message() const noexcept {
  return fragments_.size() > 0 ? fragments_ : record_;
}

wire::transmission client_core::send(u32 xid) {
  sending_ = true;
  return {.message = &message(), .id = xid};
}

void client_core::cut_into_fragments() {
  auto left = record_.size() - mark_bytes; // of the record
  std::size_t room = 0;                    // in the fragment under way
  std::size_t skip = mark_bytes;
  record_.for_each_segment([&](bytes part) {
    const auto unused = std::min(skip, part.size());
    part = part.subspan(unused);
    skip -= unused;
    while (!part.empty()) {
      if (room == 0) {
        room = std::min<std::size_t>(left, options_.fragment_bytes_max);
        fragments_.be(static_cast<u32>(room) | (room == left ? record_mark::last_fragment : 0));
      }
      const auto n = std::min(room, part.size());
      fragments_.borrow(part.first(n));
      part = part.subspan(n);
      room -= n;
      left -= n;
    }
  });
}

void client_core::transmitted(u64 id, nanos encoded, nanos send_first, nanos send_last) {
  sending_ = false;
  auto* c = calls_.find(id);
  if (c == nullptr) return;
  c->at = progress::sent;
  ++c->sent;
  if (options_.datagrams) {
    c->resend_at = send_last + timer_.timeout(c->sent);
    if (!earliest_deadline_ || c->resend_at < *earliest_deadline_)
      earliest_deadline_ = c->resend_at;
    if (c->sent > 1) return;
  }
  c->times.encoded = encoded;
  c->times.q0 = send_first;
  c->times.q1 = send_last;
}

void client_core::receive(bytes data, nanos now) {
  if (options_.datagrams)
    datagrams_.emplace_back(now, std::vector(data.begin(), data.end()));
  else
    framer_.feed(data, wire::stamp{.time = now, .packet = 0});
}

std::optional<wire::frame> client_core::next_record() {
  if (!options_.datagrams) return framer_.next();
  if (datagrams_.empty()) return std::nullopt;
  auto [time, data] = std::move(datagrams_.front());
  datagrams_.pop_front();
  datagram_ = std::move(data);
  if (datagram_.size() > options_.datagrams->unfragmented_bytes_max)
    ++counters_.fragmented_datagrams;
  wire::frame out;
  out.data = datagram_;
  out.length = datagram_.size();
  out.first.time = out.last.time = time;
  return out;
}

std::optional<call_event> client_core::poll_event() {
  while (events_.empty() && !failed_ && !lost_) {
    const auto record = next_record();
    if (!record) break;
    if (auto event = take_reply(*record)) return event;
  }
  if (!events_.empty()) {
    auto out = std::move(events_.front());
    events_.pop_front();
    return out;
  }
  if (!framer_.in_step()) failed_ = true;
  return std::nullopt;
}

std::optional<call_event> client_core::take_reply(const wire::frame& record) {
  if (message_type(record.data) != msg_type::reply) {
    ++counters_.malformed;
    // A call to us is not for us, the rest is no RPC; a stray datagram harms nobody.
    failed_ = record.data.size() < 8 && !options_.datagrams;
    return std::nullopt;
  }
  const auto xid = wire::load_be<u32>(record.data.data());
  if (negotiation_ && negotiation_->xid == xid) {
    take_token(record.data);
    return std::nullopt;
  }
  auto* found = calls_.find(xid);
  if (found == nullptr || (found->at == progress::queued && found->sent == 0)) {
    count_stray(xid);
    return std::nullopt;
  }
  const auto decoded = decode_reply_header(record.data);
  if (decoded.ok() && lost_context(*found, decoded.message) && repeat(xid, *found))
    return std::nullopt;
  auto c = *calls_.take(xid);
  ++counters_.replies;
  if (c.at == progress::queued) --queued_; // to be sent again, which there is no need for
  if (options_.datagrams) note_reply(xid, c, record.last.time);
  if (c.abandoned) {
    ++counters_.late_replies;
    return std::nullopt;
  }
  call_event out;
  out.user = c.request.user;
  out.partly_sent = c.at == progress::sending;
  out.xid = xid;
  out.request_bytes = c.request_bytes;
  out.reply_bytes = static_cast<u32>(record.length + record.prefix_bytes);
  out.header = decoded.message;
  out.times = c.times;
  out.times.r0 = record.first.time;
  out.times.r1 = record.last.time;
  if (!decoded.ok()) {
    ++counters_.malformed;
    out.outcome = call_outcome::bad_reply;
    out.problem = decoded.error;
  } else if (c.context && !is_safe(c, decoded.message)) {
    ++counters_.unsafe_replies;
    out.outcome = call_outcome::unsafe;
    out.error = errc::wrong_verifier;
  } else if (!decoded.message.succeeded()) {
    out.outcome = call_outcome::refused;
  } else if (c.context) {
    open_results(out, c, record.data.subspan(decoded.size));
  } else {
    out.results = record.data.subspan(decoded.size);
  }
  return out;
}

void client_core::note_reply(u32 xid, const call& c, nanos now) {
  constexpr std::size_t answered_max = 256;
  if (c.sent == 1) timer_.sample(now - c.times.q1);
  if (answered_.size() == answered_max) answered_.pop_front();
  answered_.push_back(xid);
}

void client_core::count_stray(u32 xid) {
  const bool again = std::ranges::find(answered_, xid) != answered_.end();
  ++(again ? counters_.duplicate_replies : counters_.unknown_replies);
}

void client_core::resend_if_due(u32 xid, call& c, nanos now) {
  if (c.resend_at == nanos{} || c.at != progress::sent || c.abandoned) return;
  if (c.resend_at <= now) {
    c.at = progress::queued;
    queue_.push_back(xid);
    ++queued_;
    ++counters_.retransmissions;
  } else if (!earliest_deadline_ || c.resend_at < *earliest_deadline_) {
    earliest_deadline_ = c.resend_at;
  }
}

void client_core::finish(u32 xid, const call& ended, call_outcome outcome, std::error_code error,
                         std::string explanation) {
  if (ended.abandoned) return;
  call_event out;
  out.user = ended.request.user;
  out.outcome = outcome;
  out.partly_sent = ended.at == progress::sending;
  out.xid = xid;
  out.request_bytes = ended.request_bytes;
  out.error = error;
  out.explanation = std::move(explanation);
  out.times = ended.times;
  events_.push_back(std::move(out));
}

/// A call that was sent stays as an abandoned one for as long again: its reply may still come.
void client_core::handle_timeout(nanos now) {
  std::vector<u64> gone;
  end_late_negotiation(now);
  earliest_deadline_.reset();
  calls_.for_each([&](u64 xid, call& c) {
    if (c.request.deadline <= now) {
      if (!c.abandoned) {
        ++counters_.timeouts;
        finish(static_cast<u32>(xid), c, call_outcome::timed_out, {});
      }
      if (c.abandoned || c.at == progress::queued) {
        if (c.at == progress::queued) --queued_;
        gone.push_back(xid);
        return;
      }
      const auto waited = c.request.deadline - c.times.submitted;
      c.abandoned = true;
      c.request.args = nullptr;
      c.request.deadline = now + waited;
    }
    if (!earliest_deadline_ || c.request.deadline < *earliest_deadline_)
      earliest_deadline_ = c.request.deadline;
    resend_if_due(static_cast<u32>(xid), c, now);
  });
  for (const auto xid : gone)
    calls_.take(xid);
}

void client_core::connection_lost(std::error_code error, nanos now) {
  lost_ = true;
  sending_ = false;
  queue_.clear();
  queued_ = 0;
  negotiation_.reset();
  earliest_deadline_.reset();
  while (!calls_.empty()) {
    const auto xid = calls_.oldest_id();
    auto ended = *calls_.take(xid);
    ended.times.completed = now;
    ended.at = progress::sent; // nothing is sent from its arguments any more
    finish(static_cast<u32>(xid), ended, call_outcome::connection_lost, error);
  }
}

std::optional<nanos> client_core::poll_timeout() const noexcept {
  if (!events_.empty()) return nanos{}; // at once: no input brought them, and none may come
  if (calls_.empty()) return std::nullopt;
  auto out = earliest_deadline_;
  if (negotiation_ && out) {
    out = std::min(*out, negotiation_->deadline);
    if (negotiation_->resend_at != nanos{}) out = std::min(*out, negotiation_->resend_at);
  }
  return out;
}

} // namespace rpc
