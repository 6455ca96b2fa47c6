#pragma once

#include "rpc/auth.hpp"
#include "rpc/gss_context.hpp"
#include "rpc/message.hpp"
#include "rpc/record_mark.hpp"
#include "rpc/retransmission.hpp"
#include "rpc/xdr.hpp"
#include "wire/call_table.hpp"
#include "wire/exchange.hpp"
#include "wire/transmission.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace rpc {

using wire::nanos;

/// Whom the server takes us for.
struct auth_sys {
  u32 uid = 0;
  u32 gid = 0;
  std::vector<u32> gids; ///< the first 16 are sent
  std::string machine_name = "localhost";
};

/// The credential of every call: AUTH_SYS, or AUTH_NONE when there is no body.
[[nodiscard]] std::vector<std::byte> encode_credential(const std::optional<auth_sys>& who,
                                                       u32 stamp);

/// Messages go in datagrams: each is one, without record marks, and those to which no reply comes
/// are sent again, with the same xid.
struct datagram_options {
  static constexpr std::size_t bytes_max = 65'507; ///< UDP over IPv4 carries no more

  std::size_t unfragmented_bytes_max = bytes_max; ///< longer ones are counted
};

struct client_options {
  std::optional<auth_sys> credential;
  std::optional<gss_options> gss; ///< RPCSEC_GSS takes the place of `credential`
  std::size_t calls_max = 4096;   ///< in flight and abandoned
  u32 fragment_bytes_max = record_mark::last_fragment - 1;
  std::optional<datagram_options> datagrams;
  u32 first_xid = 1; ///< should be random: servers remember xids of an address and port
};

/// One call as the core wants it. `args` and what it refers to must live until the call's event,
/// or until abandon() says so.
struct call_request {
  u32 program = 0;
  u32 version = 0;
  u32 procedure = 0;
  const void* args = nullptr;
  bool (*encode)(const void* args, wire::writer& out) = nullptr;
  nanos deadline{};
  void* user = nullptr; ///< comes back in the event
};

enum class call_outcome : u8 {
  replied,       ///< accepted and executed: `results` are there to be decoded
  refused,       ///< the RPC layer of the server said no: see `header`
  bad_reply,     ///< the header of the reply cannot be decoded: see `problem`
  bad_arguments, ///< never sent: a field is over its limit
  timed_out,
  connection_lost,
  no_context, ///< never sent: RPCSEC_GSS has no context with the server, see `explanation`
  unsafe,     ///< RPCSEC_GSS finds the reply wrong: see `error`
};

struct call_event {
  void* user = nullptr;
  call_outcome outcome = call_outcome::replied;
  bool partly_sent = false; ///< the driver still sends from `args`: it must copy the rest
  u32 xid = 0;
  u32 request_bytes = 0;
  u32 reply_bytes = 0;
  reply_header header;
  bytes results; ///< lives until the next call of poll_event() or receive()
  wire::decode_error problem;
  std::error_code error;
  std::string explanation; ///< what no code can say; mostly empty
  wire::exchange_times times;
};

struct client_counters {
  u64 calls = 0;
  u64 replies = 0;
  u64 late_replies = 0;    ///< to calls that had been abandoned or timed out
  u64 unknown_replies = 0; ///< to no call of ours
  u64 malformed = 0;       ///< records that are no reply
  u64 timeouts = 0;
  u64 contexts = 0;       ///< of RPCSEC_GSS, made
  u64 repeated_calls = 0; ///< in a new one, since the server had given up theirs
  u64 unsafe_replies = 0;
  // Of datagrams.
  u64 retransmissions = 0;
  u64 duplicate_replies = 0;    ///< to calls that had been answered
  u64 fragmented_datagrams = 0; ///< longer than the MTU, there or back: one lost piece loses all
};

/// The client's side of one RPC connection without its I/O (see wire::net::protocol_core).
/// Call order: receive(), handle_timeout() or connection_lost(), then poll_event() until it is
/// empty. One message is on its way at a time. Belongs to one strand.
/// With RPCSEC_GSS it makes a context before the first call and whenever the server gives one up (a
/// call that was refused for that is sent once more), and keeps to the server's sequence window.
/// poll_transmit() then may ask a KDC and wait for it.
class client_core {
 public:
  explicit client_core(client_options options);

  /// The call's xid; nothing when the connection is lost or `calls_max` are in flight.
  [[nodiscard]] std::optional<u32> submit(const call_request& request, nanos now);

  /// Nobody waits for the call any more. One that was not sent is forgotten; the late reply of one
  /// that was is dropped. True when part of it was sent: the driver must copy the rest.
  bool abandon(u32 xid);

  [[nodiscard]] std::optional<call_event> poll_event();
  /// An event that no input brought: the arguments of a call could not be encoded.
  [[nodiscard]] bool has_events() const noexcept { return !events_.empty(); }

  // What the driver calls.
  void receive(bytes data, nanos now);
  void handle_timeout(nanos now);
  void connection_lost(std::error_code error, nanos now);
  /// Nothing but the end of the RPCSEC_GSS context is sent from now on.
  void end_context() noexcept { ending_ = true; }
  [[nodiscard]] std::optional<wire::transmission> poll_transmit(nanos now);
  void transmitted(u64 id, nanos encoded, nanos send_first, nanos send_last);
  [[nodiscard]] std::optional<nanos> poll_timeout() const noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_; }

  [[nodiscard]] const client_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::optional<std::size_t> unfragmented_bytes_max() const noexcept {
    if (!options_.datagrams) return std::nullopt;
    return options_.datagrams->unfragmented_bytes_max;
  }
  [[nodiscard]] std::size_t calls_in_flight() const noexcept { return calls_.size(); }

 private:
  enum class progress : u8 { queued, sending, sent };

  struct call {
    call_request request;
    progress at = progress::queued;
    bool abandoned = false;
    u32 sent = 0;                         ///< times
    nanos resend_at{};                    ///< datagrams; 0: not
    std::vector<u32> earlier_sequences;   ///< of what was sent before, in the same context
    bool repeated = false;                ///< by RPCSEC_GSS in another context
    u32 sequence = 0;                     ///< RPCSEC_GSS, in `context`
    std::shared_ptr<gss_context> context; ///< in which it was sent
    u32 request_bytes = 0;
    wire::exchange_times times;
  };

  enum class encoding : u8 { done, over_limit, context_expired };

  [[nodiscard]] bool make_room();
  [[nodiscard]] u32 fresh_xid();
  [[nodiscard]] call* first_queued();
  void leave_queue();
  void end_unsent(u32 xid, call_outcome outcome, const std::string& explanation = {});
  void start_record();
  [[nodiscard]] encoding encode_call(u32 xid, call& c);
  [[nodiscard]] bool frame_record(u32& message_bytes);
  void cut_into_fragments();
  [[nodiscard]] const wire::writer& message() const noexcept;
  [[nodiscard]] wire::transmission send(u32 xid);
  [[nodiscard]] std::optional<wire::frame> next_record();
  void note_reply(u32 xid, const call& c, nanos now);
  void count_stray(u32 xid);
  void resend_if_due(u32 xid, call& c, nanos now);
  [[nodiscard]] std::optional<call_event> take_reply(const wire::frame& record);
  void finish(u32 xid, const call& ended, call_outcome outcome, std::error_code error,
              std::string explanation = {});

  // RPCSEC_GSS: client_core_gss.cpp.

  /// A token that is on its way to the server, or the answer to it on its way to us.
  struct negotiation {
    u32 xid = 0;
    nanos deadline{};
    nanos resend_at{}; ///< datagrams; 0: not
  };

  [[nodiscard]] bool may_send_call() const noexcept;
  [[nodiscard]] bool needs_token() const noexcept;
  [[nodiscard]] std::optional<wire::transmission> send_token(const call& first, nanos now);
  void end_late_negotiation(nanos now);
  void take_token(bytes record);
  void give_up_context(const std::string& why);
  [[nodiscard]] bool lost_context(const call& c, const reply_header& header);
  [[nodiscard]] bool repeat(u32 xid, call& c);
  [[nodiscard]] static bool is_safe(call& c, const reply_header& header);
  void open_results(call_event& out, const call& c, bytes results);
  [[nodiscard]] std::optional<wire::transmission> send_destroy();

  client_options options_;
  std::vector<std::byte> credential_;
  wire::call_table<call> calls_;
  std::deque<u32> queue_; ///< xids to send; may name calls that are gone
  std::deque<call_event> events_;
  record_framer framer_;
  wire::writer record_;
  wire::writer fragments_;
  std::shared_ptr<gss_context> context_;   ///< may still be in the making
  std::shared_ptr<gss_context> opened_in_; ///< holds the results of the last event
  std::optional<negotiation> negotiation_;
  call_numbers last_call_; ///< whose program gets what ends the context
  u32 tokens_sent_ = 0;    ///< since the last context was made
  retransmission_timer timer_;
  std::deque<std::pair<nanos, std::vector<std::byte>>> datagrams_; ///< that came in
  std::vector<std::byte> datagram_;                                ///< that is being read
  std::deque<u32> answered_;               ///< datagrams: the last xids, to know duplicates
  std::size_t queued_ = 0;                 ///< calls that are not on their way
  std::optional<nanos> earliest_deadline_; ///< or earlier: completed calls do not move it
  client_counters counters_;
  u32 next_xid_;
  bool sending_ = false;
  bool lost_ = false;
  bool failed_ = false;
  bool ending_ = false;
};

} // namespace rpc
