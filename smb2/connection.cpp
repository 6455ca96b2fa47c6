#include "smb2/connection.hpp"

#include "smb2/connection_state.hpp"
#include "wire/net/waiter.hpp"
#include "wire/text.hpp"

#include <asio/post.hpp>

#include <fmt/format.h>

namespace smb2 {

namespace detail {

void connection_state::start(wire::net::stream stream) {
  std::error_code unknown;
  local_ = stream.socket().local_endpoint(unknown);
  remote_ = stream.socket().remote_endpoint(unknown);
  server_ = wire::net::text_of(remote_);
  // The driver outlives the state only when detached, and then it never dispatches.
  driver_ = std::make_shared<driver>(std::move(stream), core_, [this] { dispatch(); });
  driver_->start();
}

void connection_state::submit(std::span<pending_call* const> parts, nanos timeout) {
  const auto now = wire::net::now();
  requests_.clear();
  for (auto* call : parts) {
    call->owner = this;
    call->request.user = call;
    call->request.deadline = now + (timeout > nanos{} ? timeout : options_.timeout);
    call->exchange.connection = options_.number;
    call->exchange.t.submitted = now;
    requests_.push_back(call->request);
  }
  const auto ticket = core_.submit_compound(requests_, now);
  requests_.clear();
  for (auto* call : parts) {
    if (ticket) {
      call->ticket = *ticket;
      continue;
    }
    call->done = true;
    call->error = core_.failed()      ? core_.failure_code()
                  : driver_->closed() ? errc::connection_lost
                                      : errc::too_many_calls;
    call->reason = core_.failure();
  }
  if (!ticket) return;
  driver_->flush();
  if (core_.has_events()) dispatch();
}

void connection_state::cancel(pending_call& call) {
  auto* only = &call;
  cancel(std::span(&only, 1));
}

/// Nothing is sent and nobody resumed from here: whoever emits the cancellation does not expect its
/// effects meanwhile.
void connection_state::cancel(std::span<pending_call* const> parts) {
  if (const auto partly_sent = core_.abandon(parts.front()->ticket))
    driver_->copy_rest(*partly_sent);
  std::vector<std::move_only_function<void()>> waiting;
  for (auto* call : parts) {
    if (call->done) continue;
    call->cancelled = call->done = true;
    if (call->resume) waiting.push_back(std::exchange(call->resume, nullptr));
  }
  auto self = shared_from_this();
  asio::post(driver_->transport().socket().get_executor(),
             [self = std::move(self), waiting = std::move(waiting)]() mutable {
               self->driver_->flush();
               for (auto& resume : waiting)
                 resume();
             });
}

void connection_state::close() {
  const auto self = shared_from_this();
  driver_->close();
}

/// Whoever is resumed may start calls, close the connection or drop its last reference.
void connection_state::dispatch() {
  const auto self = shared_from_this();
  while (auto event = core_.poll_event())
    deliver(*event);
  if (!driver_->closed()) return;
  if (const auto listener = std::exchange(listener_, nullptr)) listener->on_connection_lost();
}

void connection_state::deliver(call_event& event) {
  if (event.outcome == call_outcome::oplock_break) {
    if (listener_) listener_->on_break(event.head, event.message);
    return;
  }
  auto& call = *static_cast<pending_call*>(event.user);
  if (event.partly_sent) driver_->copy_rest(event.frame_id);
  call.outcome = event.outcome;
  call.error = event.error;
  if (core_.failed()) {
    call.reason = core_.failure();
    if (event.outcome == call_outcome::connection_lost) call.error = core_.failure_code();
  }
  call.head = event.head;
  call.placed_bytes = event.placed_bytes;
  call.exchange.id = event.message_id;
  call.exchange.part = event.part;
  call.exchange.operations = event.parts;
  call.exchange.interim = event.interim;
  call.exchange.request_bytes = event.request_bytes;
  call.exchange.reply_bytes = event.reply_bytes;
  call.exchange.t = event.times;
  if (sent_in_vain(call))
    unanswered_.push_back({call.request.command, call.exchange.id, call.exchange.file,
                           call.exchange.offset, call.exchange.data_bytes});
  if (call.take != nullptr && event.outcome == call_outcome::replied)
    call.take(call, event.message);
  else
    call.body.assign(event.message.begin(), event.message.end());
  finish(call);
}

bool sent_in_vain(const pending_call& call) {
  return call.outcome == call_outcome::connection_lost && wire::known(call.exchange.t.granted);
}

bool was_overtaken(const pending_call& call) {
  return call.outcome == call_outcome::replied && !call.cancelled &&
         call.head.status == status::file_not_available && call.channel_sequence != nullptr &&
         *call.channel_sequence != call.request.channel_sequence;
}

void connection_state::finish(pending_call& call) {
  call.done = true;
  if (auto resume = std::exchange(call.resume, nullptr)) resume();
}

void start(connection_state& state, pending_call& call, nanos timeout) {
  auto* only = &call;
  state.submit(std::span(&only, 1), timeout);
}

void start(connection_state& state, std::span<pending_call* const> parts, nanos timeout) {
  state.submit(parts, timeout);
}

awaitable<void> wait(pending_call& call) {
  return wire::net::wait_for(call);
}

namespace {

/// Counts the parts of a compound that are not done; lives where they are waited for.
struct group {
  connection_state* owner = nullptr;
  std::span<pending_call* const> parts;
  std::size_t left = 0;
  std::move_only_function<void()> resume;

  void part_done() {
    if (--left == 0)
      if (auto go_on = std::exchange(resume, nullptr)) go_on();
  }

  static void cancel(void* self) {
    auto& g = *static_cast<group*>(self);
    g.owner->cancel(g.parts);
  }
};

} // namespace

awaitable<void> wait(connection_state& state, std::span<pending_call* const> parts) {
  group waiting;
  waiting.owner = &state;
  waiting.parts = parts;
  for (auto* call : parts) {
    if (call->done) continue;
    ++waiting.left;
    call->resume = [&waiting] { waiting.part_done(); };
  }
  if (waiting.left > 0) co_await wire::net::suspend(waiting.resume, &group::cancel, &waiting);
}

void report(connection_state& state, pending_call& call) {
  auto& e = call.exchange;
  e.replied = call.outcome == call_outcome::replied && !call.cancelled;
  if (!e.replied) e.failed = true;
  if (!wire::known(e.t.completed)) e.t.completed = wire::net::now();
  if (state.options().sink != nullptr) state.options().sink->on_exchange(e);
}

namespace {

std::error_code code_of(const pending_call& call) {
  if (call.cancelled) return errc::cancelled;
  // Why we gave the connection up ourselves counts more.
  const bool given_up = call.error.category() == category() && call.error != errc::connection_lost;
  if (sent_in_vain(call) && !given_up) return errc::outcome_unknown;
  switch (call.outcome) {
  case call_outcome::replied:
    return errc::bad_response;
  case call_outcome::bad_signature:
    return errc::bad_signature;
  case call_outcome::not_sealed:
  case call_outcome::key_used_up:
    return errc::not_secure;
  case call_outcome::no_credits:
    return errc::no_credits;
  case call_outcome::too_long:
    return errc::too_long;
  case call_outcome::timed_out:
    return errc::timed_out;
  case call_outcome::connection_lost:
  case call_outcome::oplock_break:
    break;
  }
  return call.error.category() == category() ? call.error : make_error_code(errc::connection_lost);
}

bool changes_something(u16 command) {
  switch (command) {
  case create::number:
  case close::number:
  case write::number:
  case set_info::number:
  case lock::number:
  case ioctl::number:
    return true;
  default:
    return false;
  }
}

std::string why(const connection_state& state, const pending_call& call) {
  if (call.cancelled) return "cancelled";
  switch (call.outcome) {
  case call_outcome::replied:
    return "the response cannot be decoded: " + describe(call.problem);
  case call_outcome::bad_signature:
    return "the response carries a wrong signature; the connection is closed";
  case call_outcome::not_sealed:
    return "the response is not sealed, though the request was; the connection is closed";
  case call_outcome::key_used_up:
    return "the session's key has sealed as many messages as it may: log on again";
  case call_outcome::no_credits:
    return fmt::format("the call costs {} credits and the server has granted {}",
                       state.core().credits().charge_for(call.request.credit_bytes),
                       state.core().credits().available());
  case call_outcome::too_long:
    return "the request is longer than a message can be; nothing was sent";
  case call_outcome::timed_out:
    return fmt::format("no response within {}{}",
                       wire::text_of(call.request.deadline - call.exchange.t.submitted),
                       wire::known(call.exchange.t.granted)
                           ? ""
                           : ": it waited for credits, which the server did not grant");
  case call_outcome::connection_lost:
  case call_outcome::oplock_break:
    break;
  }
  if (call.error == errc::too_many_calls) return call.error.message();
  if (!call.reason.empty())
    return fmt::format("the server sent {}; the connection is closed", call.reason);
  if (call.error == asio::error::eof) return "the server closed the connection";
  if (!call.error || call.error == errc::connection_lost) return "the connection is closed";
  return "the connection was lost: " + call.error.message();
}

} // namespace

error failure(const connection_state& state, const pending_call& call) {
  const bool unknown = sent_in_vain(call) && changes_something(call.request.command);
  return {code_of(call),
          fmt::format("{} to {}: {}{}", commands::name(call.request.command), state.server(),
                      why(state, call),
                      unknown ? "; whether the request was carried out is unknown" : "")};
}

} // namespace detail

connection::connection(wire::net::stream stream, connection_options options)
    : state_(std::make_shared<detail::connection_state>(options)) {
  state_->start(std::move(stream));
}

connection::~connection() {
  if (state_) state_->close();
}

connection::connection(connection&&) noexcept = default;

connection& connection::operator=(connection&& other) noexcept {
  if (state_ && state_ != other.state_) state_->close();
  state_ = std::move(other.state_);
  return *this;
}

awaitable<std::expected<connection, error>> connection::connect(wire::net::connect_options where,
                                                                connection_options options) {
  auto stream = co_await wire::net::stream::connect(where);
  if (!stream) {
    error e;
    e.code = stream.error();
    e.text = fmt::format("cannot connect to {}:{}: {}", where.host, where.port,
                         stream.error().message());
    co_return std::unexpected(std::move(e));
  }
  co_return connection(std::move(*stream), options);
}

void connection::open_sealed_with(u64 session_id, std::shared_ptr<message_sealer> sealer) {
  state_->open_sealed_with(session_id, std::move(sealer));
}

void connection::take_compressed_as(compression_agreement agreed, u32 bytes_max) {
  state_->take_compressed_as(std::move(agreed), bytes_max);
}

const credit_timeline& connection::credit_history() const noexcept {
  return state_->core().credit_history();
}

void connection::allow_multi_credit() {
  state_->allow_multi_credit();
}

std::span<const unanswered_call> connection::unanswered() const noexcept {
  return state_->unanswered();
}

void connection::listen(std::shared_ptr<break_listener> listener) {
  state_->listen(std::move(listener));
}

void connection::close() {
  state_->close();
}

bool connection::closed() const noexcept {
  return state_->closed();
}

const std::string& connection::server() const noexcept {
  return state_->server();
}

const client_counters& connection::counters() const noexcept {
  return state_->core().counters();
}

const credit_window& connection::credits() const noexcept {
  return state_->core().credits();
}

asio::ip::tcp::endpoint connection::local_endpoint() const {
  return state_->local();
}

asio::ip::tcp::endpoint connection::remote_endpoint() const {
  return state_->remote();
}

std::optional<nanos> connection::round_trip_min() const {
  return state_->round_trip_min();
}

} // namespace smb2
