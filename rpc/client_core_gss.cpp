#include "rpc/client_core.hpp"

#include <utility>

/// What RPCSEC_GSS adds to the client core: contexts come and go beneath the calls.
namespace rpc {

/// The server drops calls that are further apart than its window; so many are in flight at most,
/// those included for whose replies nobody waits.
bool client_core::may_send_call() const noexcept {
  return context_ && context_->ready() && !context_->used_up() &&
         calls_.size() - queued_ < context_->window();
}

bool client_core::needs_token() const noexcept {
  return !negotiation_ && (!context_ || !context_->ready() || context_->used_up());
}

/// To the program that the first call is for, which lends its deadline too. Nothing: there is no
/// context to be had, and the calls that waited for it have ended.
std::optional<wire::transmission> client_core::send_token(const call& first, nanos now) {
  if (!context_ || context_->used_up()) {
    auto mechanism = options_.gss->mechanism();
    if (!mechanism) {
      give_up_context(mechanism.error());
      return std::nullopt;
    }
    context_ = std::make_shared<gss_context>(std::move(*mechanism), options_.gss->service,
                                             options_.gss->sequence_max);
  }
  call_numbers numbers;
  numbers.xid = fresh_xid();
  numbers.program = first.request.program;
  numbers.version = first.request.version;
  start_record();
  u32 sent_bytes = 0;
  const auto put = context_->next_token(numbers, record_);
  if (!put || !frame_record(sent_bytes)) {
    give_up_context(put ? "the security token is too long" : put.error());
    return std::nullopt;
  }
  negotiation_ = negotiation{numbers.xid, first.request.deadline, {}};
  ++tokens_sent_;
  if (options_.datagrams) negotiation_->resend_at = now + timer_.timeout(tokens_sent_);
  return send(numbers.xid);
}

/// A token that got lost is not sent again, since servers take it for a replay: a new context is
/// begun, by the first call that still waits for one.
void client_core::end_late_negotiation(nanos now) {
  if (!negotiation_) return;
  const bool lost = negotiation_->resend_at != nanos{} && negotiation_->resend_at <= now;
  if (!lost && negotiation_->deadline > now) return;
  if (lost) ++counters_.retransmissions;
  negotiation_.reset();
  context_.reset();
}

void client_core::take_token(bytes record) {
  negotiation_.reset();
  const auto decoded = decode_reply_header(record);
  const auto& header = decoded.message;
  std::expected<void, std::string> taken;
  if (!decoded.ok())
    taken = std::unexpected("the server's answer cannot be decoded: " + describe(decoded.error));
  else if (!header.succeeded())
    taken = std::unexpected(describe(header));
  else
    taken = context_->take_token(record.subspan(decoded.size), header.verifier.body);
  if (!taken) {
    give_up_context(taken.error());
  } else if (context_->ready()) {
    tokens_sent_ = 0;
    ++counters_.contexts;
  }
}

/// Whoever waits for a context would wait for the next failure: all learn of this one.
void client_core::give_up_context(const std::string& why) {
  context_.reset();
  negotiation_.reset();
  while (first_queued() != nullptr)
    end_unsent(queue_.front(), call_outcome::no_context, why);
}

/// The server has forgotten the context, or what is in it has expired.
/// Source: RFC 2203 section 5.3.3.3.
bool client_core::lost_context(const call& c, const reply_header& header) {
  if (!c.context || header.stat != reply_stat::denied ||
      header.rejected != reject_stat::auth_error ||
      (header.auth != auth_stat::gss_cred_problem && header.auth != auth_stat::gss_ctx_problem))
    return false;
  if (context_ == c.context) context_.reset();
  return true;
}

/// A call that was refused for its context was not executed: it is sent in a new one, once.
bool client_core::repeat(u32 xid, call& c) {
  if (c.repeated || c.abandoned || c.at != progress::sent) return false;
  c.repeated = true;
  c.context.reset();
  c.sent = 0;
  c.at = progress::queued;
  queue_.push_front(xid);
  ++queued_;
  ++counters_.repeated_calls;
  return true;
}

/// Refusals bear no verifier. A reply may be to any of the times that the call was sent.
bool client_core::is_safe(call& c, const reply_header& header) {
  if (header.stat == reply_stat::denied || c.context->verify(c.sequence, header.verifier))
    return true;
  for (const auto earlier : c.earlier_sequences) {
    if (!c.context->verify(earlier, header.verifier)) continue;
    c.sequence = earlier;
    return true;
  }
  return false;
}

void client_core::open_results(call_event& out, const call& c, bytes results) {
  const auto opened = c.context->open(c.sequence, results);
  if (opened) {
    // A context that is given up before the event is handled takes its buffer along.
    opened_in_ = c.context;
    out.results = *opened;
    return;
  }
  ++counters_.unsafe_replies;
  out.outcome =
      opened.error().code == errc::bad_reply ? call_outcome::bad_reply : call_outcome::unsafe;
  out.error = opened.error().code;
  out.problem = opened.error().problem;
}

std::optional<wire::transmission> client_core::send_destroy() {
  const auto context = std::exchange(context_, nullptr);
  if (!context) return std::nullopt;
  auto numbers = last_call_;
  numbers.xid = fresh_xid();
  numbers.procedure = 0;
  start_record();
  u32 sent_bytes = 0;
  if (!context->put_destroy(numbers, record_) || !frame_record(sent_bytes)) return std::nullopt;
  return send(numbers.xid);
}

} // namespace rpc
