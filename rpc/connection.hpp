#pragma once

#include "rpc/client_core.hpp"
#include "rpc/error.hpp"
#include "rpc/transport.hpp"
#include "wire/net/async.hpp"
#include "wire/net/clock.hpp"
#include "wire/net/datagram.hpp"
#include "wire/net/stream.hpp"

#include <expected>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace rpc {

using wire::net::awaitable;

struct connection_options {
  std::optional<auth_sys> credential;
  /// RPCSEC_GSS takes the place of `credential`: the first call makes the context, the end of the
  /// connection ends it.
  std::optional<gss_options> gss;
  transport over = transport::tcp;          ///< of connect()
  nanos timeout = std::chrono::seconds(60); ///< of each call that names none
  u32 fragment_bytes_max = record_mark::last_fragment - 1;
  wire::exchange_sink* sink = nullptr; ///< sees every call that ends; must outlive the connection
  u32 number = 0;                      ///< `connection` of its exchanges
};

struct call_options {
  nanos timeout{};                      ///< 0: the connection's
  nanos submitted = wire::unknown_time; ///< when the caller asked for it, if that was before now
};

/// A decoded reply, the bytes that it views, and what the exchange cost.
template <class Op>
struct reply {
  typename Op::reply message{};
  wire::exchange exchange;
  std::vector<std::byte> body; ///< `message` points into it: moves keep that, copies do not

  reply() = default;
  reply(reply&&) noexcept = default;
  reply& operator=(reply&&) noexcept = default;
  reply(const reply&) = delete;
  reply& operator=(const reply&) = delete;

  [[nodiscard]] const typename Op::reply* operator->() const noexcept { return &message; }
};

namespace detail {

class connection_state;

/// One call that a coroutine waits for; lives in that coroutine's frame.
struct pending_call {
  call_request request;
  call_outcome outcome = call_outcome::connection_lost;
  bool done = false;
  bool cancelled = false;
  reply_header header;
  wire::decode_error problem;
  std::error_code error;
  std::string explanation;
  wire::exchange exchange;
  std::vector<std::byte> body;

  connection_state* owner = nullptr;
  std::move_only_function<void()> resume;
};

template <class Args>
bool encode_args(const void* args, wire::writer& out) {
  return encode(*static_cast<const Args*>(args), out);
}

/// What an exchange says of its operation, as far as the operation tells it.
template <class Op>
void note_call(const typename Op::args& args, wire::exchange& e) {
  if constexpr (requires { Op::program::protocol; }) e.proto = Op::program::protocol;
  e.version = static_cast<wire::u8>(Op::program::version);
  e.operation = static_cast<wire::u16>(Op::procedure);
  if constexpr (requires { Op::object(args); }) e.file = Op::object(args).hash();
  if constexpr (requires { Op::offset(args); }) e.offset = Op::offset(args);
  if constexpr (requires { Op::data_bytes(args); }) e.data_bytes = Op::data_bytes(args);
  if constexpr (requires { Op::note_call(args, e); }) Op::note_call(args, e);
}

template <class Op>
void note_reply(const typename Op::reply& r, wire::exchange& e) {
  if constexpr (requires { r.status; }) {
    e.status = static_cast<u32>(r.status);
    e.failed = e.status != 0;
  }
  if constexpr (requires { Op::data_bytes(r); }) e.data_bytes = Op::data_bytes(r);
}

} // namespace detail

/// RPC over one TCP connection, or over UDP with one server: any number of calls at once. Belongs
/// to one strand. Over UDP a call is sent again until its reply comes or its time is over.
/// A call that is cancelled or times out leaves an abandoned entry; its late reply is dropped.
/// When the connection closes or goes away, the calls that wait end with connection_lost.
class connection {
 public:
  connection(wire::net::stream stream, connection_options options);
  connection(wire::net::datagram datagram, connection_options options);
  ~connection();
  connection(connection&&) noexcept;
  connection& operator=(connection&&) noexcept;

  /// Errors: "cannot connect to 198.18.1.2:2049: Connection refused". Over UDP that is said by the
  /// first call.
  [[nodiscard]] static awaitable<std::expected<connection, error>>
  connect(wire::net::connect_options where, connection_options options);

  /// The operation's reply, whatever its status. `args` views must live until it returns.
  template <class Op>
  [[nodiscard]] awaitable<std::expected<reply<Op>, error>> call(typename Op::args args,
                                                                call_options options = {});

  void close();
  [[nodiscard]] bool closed() const noexcept;
  /// "198.18.1.2:2049"
  [[nodiscard]] const std::string& server() const noexcept;
  [[nodiscard]] const client_counters& counters() const noexcept;
  /// Address and port, whatever the transport.
  [[nodiscard]] asio::ip::tcp::endpoint local_endpoint() const;
  [[nodiscard]] asio::ip::tcp::endpoint remote_endpoint() const;
  /// Of UDP: longer messages, calls and replies, go in fragments, of which one lost loses all.
  [[nodiscard]] std::optional<std::size_t> unfragmented_bytes_max() const noexcept;
  /// As wire::net::stream has it.
  [[nodiscard]] std::optional<nanos> round_trip_min() const;

 private:
  std::shared_ptr<detail::connection_state> state_;
};

namespace detail {

/// Starts the call; false when it ended at once (`outcome` and `error` say why).
void start(connection_state& state, pending_call& call, nanos timeout);
[[nodiscard]] awaitable<void> wait(pending_call& call);
void report(connection_state& state, pending_call& call);
[[nodiscard]] error failure(const connection_state& state, const pending_call& call,
                            std::string_view operation);

} // namespace detail

template <class Op>
awaitable<std::expected<reply<Op>, error>> connection::call(typename Op::args args,
                                                            call_options options) {
  static_assert(std::is_trivially_destructible_v<typename Op::args>,
                "GCC 12 destroys temporaries of a co_await twice");
  const auto state = state_;
  detail::pending_call call;
  call.request.program = Op::program::number;
  call.request.version = Op::program::version;
  call.request.procedure = Op::procedure;
  call.request.args = &args;
  call.request.encode = &detail::encode_args<typename Op::args>;
  detail::note_call<Op>(args, call.exchange);
  detail::start(*state, call, options.timeout);
  if (!call.done) co_await detail::wait(call);
  if (wire::known(options.submitted)) call.exchange.t.submitted = options.submitted;

  reply<Op> out;
  if (call.outcome == call_outcome::replied) {
    out.body = std::move(call.body);
    auto decoded = decode_prefix<typename Op::reply>(out.body, Op::name);
    call.exchange.t.completed = wire::net::now();
    if (decoded.ok()) {
      out.message = std::move(decoded.message);
      detail::note_reply<Op>(out.message, call.exchange);
    } else {
      call.outcome = call_outcome::bad_reply;
      call.problem = decoded.error;
    }
  }
  detail::report(*state, call);
  if (call.outcome != call_outcome::replied)
    co_return std::unexpected(detail::failure(*state, call, Op::name));
  out.exchange = call.exchange;
  co_return out;
}

} // namespace rpc
