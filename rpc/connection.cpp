#include "rpc/connection.hpp"

#include "wire/net/driver.hpp"
#include "wire/net/waiter.hpp"
#include "wire/text.hpp"

#include <asio/post.hpp>

#include <fmt/format.h>

#include <cassert>
#include <random>
#include <variant>

namespace rpc {

namespace detail {

template <class Transport>
using driver_of = std::shared_ptr<wire::net::driver<client_core, Transport>>;

class connection_state : public std::enable_shared_from_this<connection_state> {
 public:
  connection_state(connection_options options, std::optional<datagram_options> datagrams)
      : options_(std::move(options)), core_(core_options(options_, datagrams)) {}

  template <class Transport>
  void start(Transport transport) {
    std::error_code unknown;
    const auto local = transport.socket().local_endpoint(unknown);
    const auto remote = transport.socket().remote_endpoint(unknown);
    local_ = {local.address(), local.port()};
    remote_ = {remote.address(), remote.port()};
    server_ = wire::net::text_of(remote_);
    // The driver outlives the state only when detached, and then it never dispatches.
    auto driver = std::make_shared<wire::net::driver<client_core, Transport>>(
        std::move(transport), core_, [this] { dispatch(); });
    driver->start();
    driver_ = std::move(driver);
  }

  ~connection_state() {
    with_driver([](auto& d) { d.detach(); });
  }

  void submit(pending_call& call, nanos timeout) {
    const auto now = wire::net::now();
    call.owner = this;
    call.request.user = &call;
    call.request.deadline = now + (timeout > nanos{} ? timeout : options_.timeout);
    call.exchange.connection = options_.number;
    const auto xid = core_.submit(call.request, now);
    if (!xid) {
      call.done = true;
      call.exchange.t.submitted = now;
      call.error = make_error_code(closed() ? errc::connection_lost : errc::too_many_calls);
      return;
    }
    call.exchange.id = *xid;
    with_driver([](auto& d) { d.flush(); });
    if (!call.done && core_.has_events()) dispatch();
  }

  /// The waiting coroutine was cancelled.
  void cancel(pending_call& call) {
    if (call.done) return;
    const auto xid = static_cast<u32>(call.exchange.id);
    if (core_.abandon(xid)) copy_rest(xid);
    call.cancelled = call.done = true;
    // Not from here: whoever emits the cancellation does not expect its effects meanwhile.
    if (auto resume = std::exchange(call.resume, nullptr))
      with_driver(
          [&](auto& d) { asio::post(d.transport().socket().get_executor(), std::move(resume)); });
  }

  void close() {
    const auto self = shared_from_this();
    core_.end_context();
    with_driver([](auto& d) {
      d.flush();
      d.close();
    });
  }

  [[nodiscard]] bool closed() const noexcept {
    return std::visit([](const auto& d) { return d->closed(); }, driver_);
  }
  [[nodiscard]] const connection_options& options() const noexcept { return options_; }
  [[nodiscard]] const client_core& core() const noexcept { return core_; }
  [[nodiscard]] const std::string& server() const noexcept { return server_; }
  [[nodiscard]] const asio::ip::tcp::endpoint& local() const noexcept { return local_; }
  [[nodiscard]] const asio::ip::tcp::endpoint& remote() const noexcept { return remote_; }
  [[nodiscard]] std::optional<nanos> round_trip_min() {
    return std::visit([](auto& d) { return d->transport().round_trip_min(); }, driver_);
  }

 private:
  template <class F>
  void with_driver(F&& f) {
    std::visit([&](auto& d) { f(*d); }, driver_);
  }

  void copy_rest(u32 xid) {
    with_driver([xid](auto& d) { d.copy_rest(xid); });
  }

  static client_options core_options(const connection_options& options,
                                     std::optional<datagram_options> datagrams) {
    client_options out;
    out.credential = options.credential;
    out.gss = options.gss;
    out.datagrams = datagrams;
    out.fragment_bytes_max = options.fragment_bytes_max;
    out.first_xid = std::random_device{}();
    return out;
  }

  /// A resumed coroutine may start calls, close the connection or drop its last reference.
  void dispatch() {
    const auto self = shared_from_this();
    while (auto event = core_.poll_event())
      deliver(*event);
  }

  void deliver(call_event& event) {
    auto& call = *static_cast<pending_call*>(event.user);
    if (event.partly_sent) copy_rest(event.xid);
    call.outcome = event.outcome;
    call.header = event.header;
    call.header.verifier.body = {};
    call.problem = event.problem;
    call.error = event.error;
    call.explanation = std::move(event.explanation);
    call.body.assign(event.results.begin(), event.results.end());
    call.exchange.request_bytes = event.request_bytes;
    call.exchange.reply_bytes = event.reply_bytes;
    call.exchange.t = event.times;
    finish(call);
  }

  static void finish(pending_call& call) {
    call.done = true;
    if (auto resume = std::exchange(call.resume, nullptr)) resume();
  }

  connection_options options_;
  client_core core_;
  std::string server_;
  asio::ip::tcp::endpoint local_;
  asio::ip::tcp::endpoint remote_;
  std::variant<driver_of<wire::net::stream>, driver_of<wire::net::datagram>> driver_; ///< set
};

void start(connection_state& state, pending_call& call, nanos timeout) {
  state.submit(call, timeout);
}

awaitable<void> wait(pending_call& call) {
  return wire::net::wait_for(call);
}

void report(connection_state& state, pending_call& call) {
  auto& e = call.exchange;
  e.replied = call.outcome == call_outcome::replied || call.outcome == call_outcome::refused ||
              call.outcome == call_outcome::bad_reply || call.outcome == call_outcome::unsafe;
  if (call.outcome != call_outcome::replied) {
    e.failed = true;
    if (call.outcome == call_outcome::refused)
      e.status = static_cast<u32>(call.header.stat == reply_stat::accepted
                                      ? static_cast<u32>(call.header.accepted)
                                      : static_cast<u32>(call.header.auth));
    if (!wire::known(e.t.completed)) e.t.completed = wire::net::now();
  }
  if (state.options().sink != nullptr) state.options().sink->on_exchange(e);
}

namespace {

std::error_code code_of(const pending_call& call) {
  if (call.cancelled) return errc::cancelled;
  switch (call.outcome) {
  case call_outcome::refused:
    return errc::refused;
  case call_outcome::bad_reply:
    return errc::bad_reply;
  case call_outcome::bad_arguments:
    return errc::bad_arguments;
  case call_outcome::timed_out:
    return errc::timed_out;
  case call_outcome::no_context:
    return errc::no_context;
  case call_outcome::unsafe:
    return call.error;
  case call_outcome::replied:
  case call_outcome::connection_lost:
    break;
  }
  return call.error.category() == category() ? call.error : make_error_code(errc::connection_lost);
}

std::string why(const pending_call& call) {
  if (call.cancelled) return "cancelled";
  switch (call.outcome) {
  case call_outcome::refused:
    return describe(call.header);
  case call_outcome::bad_reply:
    return "the reply cannot be decoded: " + describe(call.problem);
  case call_outcome::timed_out:
    return fmt::format("no reply within {}",
                       wire::text_of(call.request.deadline - call.exchange.t.submitted));
  case call_outcome::no_context:
    return fmt::format("no RPCSEC_GSS context: {}", call.explanation);
  case call_outcome::unsafe:
    return call.error.message();
  case call_outcome::bad_arguments:
    return "a name or a list is longer than the protocol or wiretrip takes; nothing was sent";
  case call_outcome::replied:
  case call_outcome::connection_lost:
    break;
  }
  if (call.error == errc::too_many_calls) return call.error.message();
  if (call.error == asio::error::eof) return "the server closed the connection";
  if (call.error == std::errc::protocol_error)
    return "the server sent bytes that are no RPC; the connection is closed";
  if (!call.error || call.error == errc::connection_lost) return "the connection is closed";
  return "the connection was lost: " + call.error.message();
}

} // namespace

error failure(const connection_state& state, const pending_call& call, std::string_view operation) {
  return {code_of(call), fmt::format("{} {} to {}: {}", wire::to_string(call.exchange.proto),
                                     operation, state.server(), why(call))};
}

} // namespace detail

connection::connection(wire::net::stream stream, connection_options options)
    : state_(std::make_shared<detail::connection_state>(std::move(options), std::nullopt)) {
  state_->start(std::move(stream));
}

connection::connection(wire::net::datagram datagram, connection_options options)
    : state_(std::make_shared<detail::connection_state>(
          std::move(options), datagram_options{datagram.unfragmented_bytes_max()})) {
  state_->start(std::move(datagram));
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
  std::error_code failure;
  if (options.over == transport::udp) {
    auto opened = co_await wire::net::datagram::connect(where);
    if (opened) co_return connection(std::move(*opened), std::move(options));
    failure = opened.error();
  } else {
    auto opened = co_await wire::net::stream::connect(where);
    if (opened) co_return connection(std::move(*opened), std::move(options));
    failure = opened.error();
  }
  error e;
  e.code = failure;
  e.text = fmt::format("cannot connect to {}:{}: {}", where.host, where.port, failure.message());
  co_return std::unexpected(std::move(e));
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

asio::ip::tcp::endpoint connection::local_endpoint() const {
  return state_->local();
}

asio::ip::tcp::endpoint connection::remote_endpoint() const {
  return state_->remote();
}

std::optional<std::size_t> connection::unfragmented_bytes_max() const noexcept {
  return state_->core().unfragmented_bytes_max();
}

std::optional<nanos> connection::round_trip_min() const {
  return state_->round_trip_min();
}

} // namespace rpc
