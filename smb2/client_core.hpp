#pragma once

#include "smb2/compound.hpp"
#include "smb2/compression/message.hpp"
#include "smb2/credit_timeline.hpp"
#include "smb2/credits.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/error.hpp"
#include "smb2/frame_intake.hpp"
#include "smb2/preauth.hpp"
#include "smb2/sealer.hpp"
#include "smb2/signer.hpp"
#include "wire/call_table.hpp"
#include "wire/exchange.hpp"
#include "wire/transmission.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace smb2 {

struct client_options {
  std::size_t calls_max = 8192; ///< queued; and, apart, in flight with those abandoned
  u16 credits_target = 512;
  /// With calls outstanding and nothing received for so long, an ECHO asks whether the server still
  /// lives; when it stays silent for another `echo_timeout`, it does not. 0: never asked.
  nanos quiet{};
  nanos echo_timeout{};
};

/// One call as the core wants it. `body` and what it refers to must live until the call's event,
/// or until abandon() says so; `preauth` likewise.
struct call_request {
  u16 command = 0;
  u64 session_id = 0;
  u32 tree_id = 0;
  u32 credit_bytes = 0; ///< the larger of what is sent and what may come back
  const void* body = nullptr;
  void (*encode)(const void* body, wire::writer& out, std::size_t base) = nullptr;
  bool related = false;     ///< works on the file of the part before it in its compound
  bool replay = false;      ///< SMB2_FLAGS_REPLAY_OPERATION: it may have been carried out before
  u16 channel_sequence = 0; ///< 3.x: how many channels the session has lost
  std::shared_ptr<message_signer> signer; ///< the request is signed, the response must be
  bool checked_by_caller = false;         ///< the response's signature: the core has no key for it
  /// The request is sealed and not signed, the response must be sealed. All parts of a compound
  /// have the same.
  std::shared_ptr<message_sealer> sealer;
  preauth_hash* preauth = nullptr; ///< hashes NEGOTIATE and SESSION_SETUP of 3.1.1
  /// Where the data of a READ goes straight from the socket, when its response comes alone and not
  /// sealed; whoever abandons the call takes the place back. It holds nothing of use before the
  /// call's event says that the response is good.
  std::span<std::byte> into;
  nanos deadline{};
  void* user = nullptr; ///< comes back in the event
};

enum class call_outcome : u8 {
  replied,       ///< see `head.status`; `message` is there to be decoded
  bad_signature, ///< the response is not what the server sent: the connection is given up
  not_sealed,    ///< the request was sealed and the response is not: the same
  no_credits,    ///< never sent: it costs more than the server will ever grant
  too_long,      ///< never sent: longer than a message can be
  key_used_up,   ///< never sent: the session's key may seal no further message
  timed_out,
  connection_lost,
  oplock_break, ///< no call of ours: the server takes an oplock or a lease back
};

struct call_event {
  void* user = nullptr;
  call_outcome outcome = call_outcome::replied;
  bool interim = false;     ///< STATUS_PENDING came first
  bool partly_sent = false; ///< the driver still sends from `body`: it must copy the rest
  u64 message_id = 0;
  u64 frame_id = 0; ///< MessageId of the first of its compound: the id of the transmission
  u32 request_bytes = 0;
  u32 reply_bytes = 0; ///< on the wire; of compressed ones the first of a frame has all of them
  u16 part = 0;        ///< its place in the compound
  u16 parts = 1;       ///< of the compound; 1: it was none
  header head;
  bytes message;        ///< from its header; lives until the next call of poll_event() or receive()
  u32 placed_bytes = 0; ///< those at its end that are in call_request::into and not in `message`
  std::error_code error;
  wire::exchange_times times;
};

struct client_counters {
  u64 calls = 0;
  u64 responses = 0;
  u64 interim_responses = 0;
  u64 late_responses = 0; ///< to calls that had been abandoned or timed out
  u64 timeouts = 0;
  u64 breaks = 0;       ///< of oplocks and leases, that the server told
  u64 probes = 0;       ///< ECHOs that asked whether a silent server still lives
  u64 credit_waits = 0; ///< calls that were held up because credits had run out
  u64 cancels = 0;
  u64 compounds = 0;
  u64 sealed_messages = 0;       ///< sent; a compound is one
  u64 decompressed_messages = 0; ///< received; a compound is one
};

/// The client's side of one SMB2 connection without its I/O (see wire::net::protocol_core):
/// MessageIds and credits, the call table, compounds, signing and verification, sealing,
/// decompression, interim responses, deadlines.
/// Call order: receive(), handle_timeout() or connection_lost(), then poll_event() until it is
/// empty. One message is on its way at a time: it is encoded and signed when the socket is free and
/// the credits are there. Belongs to one strand.
/// Further channels of a session are cores of their own.
class client_core {
 public:
  explicit client_core(client_options options);

  /// NEGOTIATE has settled that calls may cost more than one credit (2.1 and up). Before, and
  /// without, CreditCharge is 0 and each call costs one all the same.
  void allow_multi_credit() noexcept { credits_.allow_multi_credit(); }

  /// A ticket for abandon(); nothing when the connection is lost or `calls_max` are queued.
  [[nodiscard]] std::optional<u64> submit(const call_request& request, nanos now);

  /// Calls that go out as one frame, in this order, with an event for each. They wait for credits
  /// together and have the deadline and the sealer of the first; each has a MessageId, a charge and
  /// a signature of its own. The server answers in one frame or in several.
  /// · bytes: parts start at multiples of 8.
  /// · errors: as above, and nothing for no parts or more than compound_messages_max.
  /// · source: MS-SMB2 3.2.4.1.4
  [[nodiscard]] std::optional<u64> submit_compound(std::span<const call_request> parts, nanos now);

  /// What the server seals in this session, the sealer opens from now on; none: nothing.
  void open_sealed_with(u64 session_id, std::shared_ptr<message_sealer> sealer);

  /// NEGOTIATE has settled what the server may compress. A decompressed message is at most
  /// `bytes_max` long. Without this a compressed message ends the connection.
  /// · source: MS-SMB2 3.2.5.1.1.2
  void take_compressed_as(compression_agreement agreed, u32 bytes_max);

  /// Nobody waits for the call, or for any part of the compound, any more: no event will come. What
  /// was not sent is forgotten; of what was the server is asked to give it up (CANCEL) and the late
  /// response is dropped. Returns the id of a transmission of which the driver must copy the rest.
  [[nodiscard]] std::optional<u64> abandon(u64 ticket);

  [[nodiscard]] std::optional<call_event> poll_event();
  /// An event that no input brought.
  [[nodiscard]] bool has_events() const noexcept { return !events_.empty(); }

  // What the driver calls.
  void receive(bytes data, nanos now);
  [[nodiscard]] wire::reception poll_reception() const noexcept;
  void received(std::size_t placed, nanos now) { intake_.received(placed, now); }
  void handle_timeout(nanos now);
  void connection_lost(std::error_code error, nanos now);
  [[nodiscard]] std::optional<wire::transmission> poll_transmit(nanos now);
  void transmitted(u64 id, nanos encoded, nanos send_first, nanos send_last);
  [[nodiscard]] std::optional<nanos> poll_timeout() const noexcept;
  [[nodiscard]] bool failed() const noexcept { return !failure_.empty(); }

  /// What the server did when failed() is true: "a response to MessageId 7, which is not awaited".
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  /// not_secure: it was no server that has our keys; connection_lost: anything else.
  [[nodiscard]] errc failure_code() const noexcept { return failure_code_; }
  [[nodiscard]] const client_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] const credit_window& credits() const noexcept { return credits_; }
  [[nodiscard]] const credit_timeline& credit_history() const noexcept { return credit_history_; }
  [[nodiscard]] std::size_t calls_in_flight() const noexcept { return sent_.size(); }
  [[nodiscard]] std::size_t calls_queued() const noexcept { return queue_.size(); }

 private:
  /// A CANCEL has no MessageId of its own.
  static constexpr u64 cancel_transmission = ~u64{0};
  static constexpr std::size_t long_read_bytes = 65'536;

  struct call {
    call_request request;
    u64 ticket = 0;
    u16 charge = 1;
    u16 extra = 0; ///< credits asked for beyond the charge
    u16 part = 0;
    u16 parts = 1; ///< of its compound; they follow each other in the queue
    u64 frame_id = 0;
    bool waited_for_credits = false;
    bool in_transmission = false;
    bool settled = false;
    bool interim = false;
    bool abandoned = false;
    bool probe = false; ///< our own ECHO: nobody waits for it
    u64 async_id = 0;
    u32 request_bytes = 0;
    wire::exchange_times times;
  };

  struct cancellation {
    u64 message_id = 0;
    u64 async_id = 0;
    u64 session_id = 0;
    u32 tree_id = 0;
    std::shared_ptr<message_signer> signer;
    std::shared_ptr<message_sealer> sealer;
  };

  [[nodiscard]] std::optional<wire::transmission> transmit_cancel();
  [[nodiscard]] std::optional<wire::transmission> transmit_calls(nanos now);
  [[nodiscard]] bool ready(call& next, nanos now);
  void refuse_outgoing(call_outcome outcome);
  void encode_outgoing();
  void number_outgoing(nanos now);
  [[nodiscard]] header request_header(const call& c, const credit_window::grant& granted) const;
  void store_header_at(const header& head, std::size_t start);
  void store_length(wire::writer& record);
  [[nodiscard]] std::span<const bytes> segments_of(std::size_t from, std::size_t to);
  void sign_record(header& head, std::size_t from, std::size_t to, message_signer& signer);
  [[nodiscard]] const wire::writer& seal_record(u64 session_id, message_sealer& sealer);

  [[nodiscard]] std::optional<frame_place> place_of(bytes start, u64 length);
  void give_up(u64 message_id, call& c);
  [[nodiscard]] std::optional<call_event> take_frame(const wire::frame& frame);
  [[nodiscard]] std::optional<call_event> take_sealed(bytes frame);
  [[nodiscard]] std::optional<call_event> take_compressed(bytes message);
  [[nodiscard]] std::span<std::byte> room_for_plain(std::size_t size);
  [[nodiscard]] bool in_its_session(const header& head) const;
  [[nodiscard]] std::optional<call_event> take_message(const submessage& message);
  [[nodiscard]] u32 bytes_on_the_wire(const submessage& message) const;
  [[nodiscard]] std::optional<call_event> take_break(const submessage& message);
  [[nodiscard]] call take_sent(u64 message_id);
  [[nodiscard]] static bool is_long_read(const call& c) noexcept {
    return c.request.into.size() >= long_read_bytes;
  }
  void take_interim(call& c, const header& head);
  [[nodiscard]] call_outcome outcome_of(const call& c, const submessage& message);
  [[nodiscard]] call_event event_of(const call& ended) const;
  void settle(call& c, const header& head);
  void note_credits(nanos now);
  void request_cancel(u64 message_id, const call& c);
  [[nodiscard]] std::optional<nanos> silence_ends() const noexcept;
  void check_silence(nanos now);
  void probe(nanos now);
  void finish(const call& ended, u64 message_id, call_outcome outcome, std::error_code error);
  std::nullopt_t fail(std::string what, errc code = errc::connection_lost);

  client_options options_;
  credit_window credits_;
  std::deque<call> queue_; ///< no MessageId yet
  wire::call_table<call> sent_;
  std::deque<cancellation> cancellations_;
  std::deque<call_event> events_;
  frame_intake intake_;
  std::optional<u64> placing_for_; ///< the MessageId whose place the last frame's end goes to
  std::size_t long_reads_ = 0;     ///< in flight
  std::optional<compound_walker> walker_; ///< of the frame under way
  wire::frame frame_;
  std::map<u64, std::shared_ptr<message_sealer>> sealers_; ///< by SessionId
  std::vector<std::byte> plain_;                           ///< of the sealed frame under way
  std::optional<u64> sealed_session_;                      ///< whose the sealed frame under way is
  compression_agreement compression_;
  u32 decompressed_bytes_max_ = 0;
  std::optional<std::vector<std::byte>> decompressed_; ///< of the compressed frame under way
  wire::writer record_;
  wire::writer sealed_record_;
  std::vector<std::byte> sealed_; ///< what `sealed_record_` borrows
  std::vector<bytes> segments_;
  std::vector<call> outgoing_;       ///< the parts of the frame that is being put together
  std::vector<std::size_t> starts_;  ///< where they start in `record_`, and where the last ends
  std::vector<u64> in_transmission_; ///< MessageIds of the frame that the driver sends
  credit_timeline credit_history_;
  std::optional<nanos> earliest_deadline_; ///< or earlier: completed calls do not move it
  client_counters counters_;
  std::string failure_;
  errc failure_code_ = errc::connection_lost;
  u64 next_ticket_ = 1;
  nanos heard_{};               ///< when bytes came last, or calls began to be outstanding
  std::optional<nanos> probed_; ///< when the ECHO was queued that is not answered yet
  bool sending_ = false;
  bool lost_ = false;
};

} // namespace smb2
