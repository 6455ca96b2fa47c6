#pragma once

#include "smb2/client_core.hpp"
#include "smb2/commands.hpp"
#include "smb2/error.hpp"
#include "smb2/ntstatus.hpp"
#include "smb2/session_renewal.hpp"
#include "wire/net/async.hpp"
#include "wire/net/clock.hpp"
#include "wire/net/stream.hpp"

#include <array>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace smb2 {

using wire::net::awaitable;

struct connection_options {
  nanos timeout = std::chrono::seconds(60); ///< of each call that names none
  /// When the server says nothing for `quiet` while calls are outstanding, it is sent an ECHO; when
  /// it stays silent for another `echo_timeout`, the connection is given up. 0: never asked.
  nanos quiet = std::chrono::seconds(20);
  nanos echo_timeout = std::chrono::seconds(10);
  u16 credits_target = 512;
  wire::exchange_sink* sink = nullptr; ///< sees every call that ends; must outlive the connection
  u32 number = 0;                      ///< `connection` of its exchanges
};

/// In whose name and where a call is made.
struct call_options {
  nanos timeout{}; ///< 0: the connection's
  u64 session_id = 0;
  u32 tree_id = 0;
  std::shared_ptr<message_signer> signer; ///< none: not signed
  bool checked_by_caller = false;         ///< as call_request has it
  std::shared_ptr<message_sealer> sealer; ///< none: not sealed; if there is one, it does not sign
  preauth_hash* preauth = nullptr;        ///< lives until the call returns
  session_renewal* renewal = nullptr;     ///< none: an expired session is the caller's to deal with
  const u16* channel_sequence = nullptr;  ///< of the session; none: 0
  bool replay = false;                    ///< the request may have been carried out before
};

/// A request that was sent and whose connection was lost before the answer. It was carried out, or
/// it was not. · units: bytes
struct unanswered_call {
  u16 command = 0;
  u64 message_id = 0;
  u64 file = 0; ///< hash_of() its FileId; 0: none
  u64 offset = 0;
  u64 data_bytes = 0;
};

/// Hears what the server says on its own. On the strand of the connection.
class break_listener {
 public:
  virtual ~break_listener() = default;
  /// An OPLOCK_BREAK notification; `message` lives until it returns.
  virtual void on_break(const header& head, bytes message) = 0;
  virtual void on_connection_lost() = 0;

 protected:
  break_listener() = default;
  break_listener(const break_listener&) = default;
  break_listener& operator=(const break_listener&) = default;
};

/// A decoded response, the bytes that it views, and what the exchange cost. `message` is filled
/// when carries_response() says so for the status.
template <class Command>
struct reply {
  u32 status = status::success;
  u64 session_id = 0;
  u32 tree_id = 0;
  typename Command::response message{};
  wire::exchange exchange;
  std::vector<std::byte> body; ///< the whole message; moves keep the views, copies would not

  reply() = default;
  reply(reply&&) noexcept = default;
  reply& operator=(reply&&) noexcept = default;
  reply(const reply&) = delete;
  reply& operator=(const reply&) = delete;

  [[nodiscard]] const typename Command::response* operator->() const noexcept { return &message; }
};

namespace detail {

class connection_state;

/// One call that somebody waits for; lives where it is waited for.
struct pending_call {
  call_request request;
  call_outcome outcome = call_outcome::connection_lost;
  bool done = false;
  bool cancelled = false;
  wire::decode_error problem; ///< set when the response cannot be decoded
  std::error_code error;
  std::string reason; ///< what the server did when the connection was given up
  header head;
  wire::exchange exchange;
  std::vector<std::byte> body;
  u32 placed_bytes = 0; ///< as call_event has it

  /// Takes what is wanted of a response while its bytes are there; none: all of it goes to `body`.
  void (*take)(pending_call& call, bytes message) = nullptr;

  u64 ticket = 0;                        ///< of its whole compound
  const u16* channel_sequence = nullptr; ///< of its session, as it is now
  connection_state* owner = nullptr;
  std::move_only_function<void()> resume;
};

/// What an exchange says of its command, as far as the command tells it.
template <class Command>
void note_request(const typename Command::request& m, wire::exchange& e) {
  e.proto = wire::protocol::smb2;
  e.operation = Command::number;
  if constexpr (requires { Command::file_id(m); })
    if (Command::file_id(m) != fileid::of_previous()) e.file = hash_of(Command::file_id(m));
  if constexpr (requires { Command::offset(m); }) e.offset = Command::offset(m);
  if constexpr (requires { Command::data_bytes(m); }) e.data_bytes = Command::data_bytes(m);
  if constexpr (requires { Command::long_wait(m); }) e.long_wait = Command::long_wait(m);
}

template <class Command>
void note_response(const typename Command::response& m, wire::exchange& e) {
  if constexpr (requires { Command::file_id(m); }) e.file = hash_of(Command::file_id(m));
  if constexpr (requires { Command::data_bytes(m); }) e.data_bytes = Command::data_bytes(m);
}

template <class Request>
void encode_body(const void* body, wire::writer& out, std::size_t base) {
  encode(*static_cast<const Request*>(body), out, base);
}

template <class Command>
void prepare(pending_call& call, const typename Command::request& m, const call_options& options) {
  call.request.command = Command::number;
  call.request.session_id = options.session_id;
  call.request.tree_id = options.tree_id;
  if constexpr (requires { Command::credit_bytes(m); })
    call.request.credit_bytes = Command::credit_bytes(m);
  call.request.body = &m;
  call.request.encode = &encode_body<typename Command::request>;
  call.request.signer = options.signer;
  call.request.checked_by_caller = options.checked_by_caller;
  call.request.sealer = options.sealer;
  call.request.preauth = options.preauth;
  call.request.replay = options.replay;
  call.channel_sequence = options.channel_sequence;
  if (options.channel_sequence != nullptr)
    call.request.channel_sequence = *options.channel_sequence;
  note_request<Command>(m, call.exchange);
}

/// Starts the call; it may be done at once (`outcome` and `error` say why).
void start(connection_state& state, pending_call& call, nanos timeout);
[[nodiscard]] awaitable<void> wait(pending_call& call);
/// Starts the parts of a compound, in this order, as one frame.
void start(connection_state& state, std::span<pending_call* const> parts, nanos timeout);
/// Until all of them are done.
[[nodiscard]] awaitable<void> wait(connection_state& state, std::span<pending_call* const> parts);
/// Hands the finished exchange to the sink. The last thing that is done with the connection.
void report(connection_state& state, pending_call& call);
/// It was sent, and the connection was lost before the answer.
[[nodiscard]] bool sent_in_vain(const pending_call& call);
/// The server refused it for its ChannelSequence, and the session's has become another one since.
/// · source: MS-SMB2 3.3.5.2.10
[[nodiscard]] bool was_overtaken(const pending_call& call);
/// "READ to 198.18.1.2:445: no response within 60 s"
[[nodiscard]] error failure(const connection_state& state, const pending_call& call);

} // namespace detail

/// What becomes of each part of a compound: its response, whatever the status, or why there is
/// none.
template <class... Requests>
using compound_replies = std::tuple<std::expected<reply<command_of<Requests>>, error>...>;

/// How the parts of a compound hang together. · source: MS-SMB2 3.2.4.1.4
enum class relation : u8 {
  unrelated, ///< each is a request for itself
  related,   ///< the second and later work on the file of the one before: fileid::of_previous()
};

/// SMB2 over one TCP connection: any number of calls at once. Belongs to one strand.
/// A call that is cancelled or times out is given up with CANCEL and leaves an abandoned entry; its
/// late response is dropped. When the connection closes or goes away, the calls that wait end with
/// connection_lost if they were never sent, and with outcome_unknown if they were: unanswered()
/// lists those.
class connection {
 public:
  connection(wire::net::stream stream, connection_options options);
  ~connection();
  connection(connection&&) noexcept;
  connection& operator=(connection&&) noexcept;

  /// Errors: "cannot connect to 198.18.1.2:445: Connection refused".
  [[nodiscard]] static awaitable<std::expected<connection, error>>
  connect(wire::net::connect_options where, connection_options options);

  /// The command's response, whatever its status. `request`, what it views and `options` must live
  /// until it returns: name them first where they are no plain values (GCC 12 destroys temporaries
  /// of a co_await twice).
  template <class Command>
  [[nodiscard]] awaitable<std::expected<reply<Command>, error>>
  call(const typename Command::request& request, const call_options& options);

  /// Several commands as one compound: one frame there, so one round trip, each with a MessageId, a
  /// charge and a signature of its own, or all sealed as one. They wait for their credits together.
  /// When one of related parts fails, the server mostly fails those behind it with the same status.
  /// · lifetime: as for call(). · source: MS-SMB2 3.2.4.1.4
  template <class... Requests>
  [[nodiscard]] awaitable<compound_replies<Requests...>>
  compound(relation how, const call_options& options, const Requests&... requests);

  /// NEGOTIATE has settled it: calls may cost several credits.
  void allow_multi_credit();
  /// As client_core has it.
  void open_sealed_with(u64 session_id, std::shared_ptr<message_sealer> sealer);
  /// As client_core has it.
  void take_compressed_as(compression_agreement agreed, u32 bytes_max);
  void close();
  [[nodiscard]] bool closed() const noexcept;
  /// Once it is lost: what had been sent and not answered, in the order of its MessageIds.
  [[nodiscard]] std::span<const unanswered_call> unanswered() const noexcept;
  /// Who hears of broken oplocks and leases; at most one.
  void listen(std::shared_ptr<break_listener> listener);
  /// "198.18.1.2:445"
  [[nodiscard]] const std::string& server() const noexcept;
  [[nodiscard]] const client_counters& counters() const noexcept;
  [[nodiscard]] const credit_window& credits() const noexcept;
  [[nodiscard]] const credit_timeline& credit_history() const noexcept;
  [[nodiscard]] asio::ip::tcp::endpoint local_endpoint() const;
  [[nodiscard]] asio::ip::tcp::endpoint remote_endpoint() const;
  /// As wire::net::stream has it.
  [[nodiscard]] std::optional<nanos> round_trip_min() const;
  /// For those who start many calls and wait for none of them alone (smb2/file_transfer.hpp).
  [[nodiscard]] const std::shared_ptr<detail::connection_state>& state() const noexcept {
    return state_;
  }

 private:
  std::shared_ptr<detail::connection_state> state_;
};

namespace detail {

/// Decodes what came into `out`; false when it cannot be (`problem` says why).
template <class Command>
[[nodiscard]] bool finish_reply(pending_call& call, reply<Command>& out) {
  out.status = call.head.status;
  out.session_id = call.head.session_id;
  out.tree_id = call.head.tree_id;
  out.body = std::move(call.body);
  call.exchange.status = call.head.status;
  call.exchange.failed = is_failure(Command::number, call.head.status);
  if (carries_response(Command::number, call.head.status)) {
    auto decoded =
        decode_prefix<typename Command::response>(out.body, static_cast<u64>(out.body.size()));
    call.problem = decoded.error;
    if (decoded.error.code == wire::errc::ok) {
      out.message = std::move(decoded.message);
      note_response<Command>(out.message, call.exchange);
    }
  }
  call.exchange.t.completed = wire::net::now();
  return call.problem.code == wire::errc::ok;
}

} // namespace detail

namespace detail {

/// What a finished call gives to who waits for it; reports its exchange.
template <class Command>
std::expected<reply<Command>, error> conclude(connection_state& state, pending_call& call) {
  reply<Command> out;
  bool good = call.outcome == call_outcome::replied && !call.cancelled;
  if (good) good = finish_reply<Command>(call, out);
  report(state, call);
  if (!good) return std::unexpected(failure(state, call));
  out.exchange = call.exchange;
  return out;
}

template <class... Requests, std::size_t... Parts>
compound_replies<Requests...> conclude_all(connection_state& state,
                                           std::array<pending_call, sizeof...(Requests)>& calls,
                                           std::index_sequence<Parts...>) {
  return compound_replies<Requests...>{conclude<command_of<Requests>>(state, calls[Parts])...};
}

} // namespace detail

template <class Command>
awaitable<std::expected<reply<Command>, error>>
connection::call(const typename Command::request& request, const call_options& options) {
  const auto state = state_;
  bool repeated = false;
  while (true) {
    const u32 seen = options.renewal != nullptr ? options.renewal->generation() : 0;
    detail::pending_call call;
    detail::prepare<Command>(call, request, options);
    detail::start(*state, call, options.timeout);
    if (!call.done) co_await detail::wait(call);

    const bool overtaken = detail::was_overtaken(call);
    auto out = detail::conclude<Command>(*state, call);
    if (overtaken) continue;
    if (!out || out->status != status::network_session_expired) co_return out;
    if (options.renewal == nullptr || repeated) co_return out;
    auto renewed = co_await options.renewal->renew(seen);
    if (!renewed) co_return std::unexpected(std::move(renewed.error()));
    repeated = true;
  }
}

template <class... Requests>
awaitable<compound_replies<Requests...>>
connection::compound(relation how, const call_options& options, const Requests&... requests) {
  constexpr auto count = sizeof...(Requests);
  static_assert(count > 0 && count <= compound_messages_max);
  const auto state = state_;
  for (bool repeated = false;; repeated = true) {
    const u32 seen = options.renewal != nullptr ? options.renewal->generation() : 0;
    std::array<detail::pending_call, count> calls;
    std::array<detail::pending_call*, count> parts{};
    std::size_t next = 0;
    ((parts[next] = &calls[next],
      detail::prepare<command_of<Requests>>(calls[next], requests, options), ++next),
     ...);
    for (std::size_t i = 1; i < count; ++i)
      calls[i].request.related = how == relation::related;
    detail::start(*state, parts, options.timeout);
    co_await detail::wait(*state, parts);
    auto out = detail::conclude_all<Requests...>(*state, calls, std::make_index_sequence<count>());
    // A server that lets no request of an ended session through says so to the first of them.
    const auto& first = std::get<0>(out);
    const bool ended = first && first->status == status::network_session_expired;
    if (!ended || options.renewal == nullptr || repeated) co_return out;
    // Why no new log-on came is in the replies as they are: the session has ended.
    const auto renewed = co_await options.renewal->renew(seen);
    if (!renewed) co_return out;
  }
}

} // namespace smb2
