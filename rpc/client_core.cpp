#include "rpc/client_core.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace rpc {

namespace {

constexpr u32 mark_bytes = 4;

/// A header whose credential is encoded already: it is the same for all calls.
struct call_start {
  u32 xid;
  const call_request* request;
  bytes credential_and_verifier;
};

void put(const call_start& start, wire::writer& out) {
  out.be(start.xid);
  out.be(static_cast<u32>(msg_type::call));
  out.be(rpc_version);
  out.be(start.request->program);
  out.be(start.request->version);
  out.be(start.request->procedure);
  out.put(start.credential_and_verifier);
}

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
  while (calls_.find(next_xid_) != nullptr)
    ++next_xid_; // a full turn of 2^32 calls met one that is still in flight
  const auto xid = next_xid_++;
  call c;
  c.request = request;
  c.times.submitted = now;
  calls_.insert(xid, c);
  queue_.push_back(xid);
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
    return false;
  }
  c->abandoned = true;
  c->request.args = nullptr;
  c->request.user = nullptr;
  return c->at == progress::sending;
}

std::optional<wire::transmission> client_core::poll_transmit(nanos now) {
  while (!sending_ && !lost_ && !queue_.empty()) {
    const auto xid = queue_.front();
    queue_.pop_front();
    auto* c = calls_.find(xid);
    if (c == nullptr || c->at != progress::queued) continue;
    if (!encode_call(xid, c->request)) {
      auto ended = calls_.take(xid);
      ended->times.completed = now;
      finish(xid, *ended, call_outcome::bad_arguments, {});
      continue;
    }
    const auto& message = fragments_.size() > 0 ? fragments_ : record_;
    c->at = progress::sending;
    c->times.granted = now; // until now earlier messages had the socket
    c->request_bytes = static_cast<u32>(message.size());
    sending_ = true;
    return wire::transmission{.message = &message, .id = xid};
  }
  return std::nullopt;
}

bool client_core::encode_call(u32 xid, const call_request& request) {
  record_.clear();
  fragments_.clear();
  record_.be(u32{0});
  put(call_start{xid, &request, credential_}, record_);
  if (!request.encode(request.args, record_)) return false;
  const auto length = record_.size() - mark_bytes;
  if (length > record_bytes_max) return false;
  if (length > options_.fragment_bytes_max)
    cut_into_fragments();
  else
    wire::store_be(record_.patch(0, mark_bytes).data(),
                   static_cast<u32>(length) | record_mark::last_fragment);
  return true;
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
  c->request.args = nullptr;
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
  while (!failed_ && !lost_) {
    const auto record = framer_.next();
    if (!record) break;
    if (auto event = take_reply(*record)) return event;
  }
  if (!framer_.in_step()) failed_ = true;
  return std::nullopt;
}

std::optional<call_event> client_core::take_reply(const wire::frame& record) {
  if (message_type(record.data) != msg_type::reply) {
    ++counters_.malformed;
    failed_ = record.data.size() < 8; // a call to us is not for us, the rest is no RPC
    return std::nullopt;
  }
  const auto xid = wire::load_be<u32>(record.data.data());
  auto* found = calls_.find(xid);
  if (found == nullptr || found->at == progress::queued) {
    ++counters_.unknown_replies;
    return std::nullopt;
  }
  const auto c = *calls_.take(xid);
  ++counters_.replies;
  if (c.abandoned) {
    ++counters_.late_replies;
    return std::nullopt;
  }
  const auto decoded = decode_reply_header(record.data);
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
  } else if (!decoded.message.succeeded()) {
    out.outcome = call_outcome::refused;
  } else {
    out.results = record.data.subspan(decoded.size);
  }
  return out;
}

void client_core::finish(u32 xid, const call& ended, call_outcome outcome, std::error_code error) {
  if (ended.abandoned) return;
  call_event out;
  out.user = ended.request.user;
  out.outcome = outcome;
  out.partly_sent = ended.at == progress::sending;
  out.xid = xid;
  out.request_bytes = ended.request_bytes;
  out.error = error;
  out.times = ended.times;
  events_.push_back(out);
}

/// A call that was sent stays as an abandoned one for as long again: its reply may still come.
void client_core::handle_timeout(nanos now) {
  std::vector<u64> gone;
  earliest_deadline_.reset();
  calls_.for_each([&](u64 xid, call& c) {
    if (c.request.deadline <= now) {
      if (!c.abandoned) {
        ++counters_.timeouts;
        finish(static_cast<u32>(xid), c, call_outcome::timed_out, {});
      }
      if (c.abandoned || c.at == progress::queued) {
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
  });
  for (const auto xid : gone)
    calls_.take(xid);
}

void client_core::connection_lost(std::error_code error, nanos now) {
  lost_ = true;
  sending_ = false;
  queue_.clear();
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
  if (calls_.empty()) return std::nullopt;
  return earliest_deadline_;
}

} // namespace rpc
