#pragma once

#include "profiler/flow/losses.hpp"
#include "profiler/flow/message_stream.hpp"
#include "profiler/flow/outstanding.hpp"
#include "profiler/flow/smb2_commands.hpp"
#include "profiler/flow/smb2_handshakes.hpp"
#include "profiler/flow/smb2_pairs.hpp"
#include "profiler/flow/smb2_resync.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/transform.hpp"

#include <optional>

namespace profiler::flow {

/// Finds for each SMB2 response of one connection its request by MessageId. Each command of a
/// compound is an exchange; `part` and `operations` tell that they share a round trip.
/// STATUS_PENDING leaves the request open; break notifications and CANCEL are counted apart.
/// Sealed messages go the same way where there is a key, else they are paired as far as that is
/// safe; compressed messages that are there to their end are decompressed; SMB1 messages are
/// recognised, counted and not looked into.
class smb2_matcher {
 public:
  using framing_policy = smb2::direct_tcp;
  static constexpr std::size_t keep_bytes = smb2_keep_bytes;
  static constexpr bool may_turn_to_tls = false;

  smb2_matcher(context& shared, listed_connection& connection)
      : shared_(shared), connection_(connection), losses_(connection), handshakes_(shared.sealing),
        pairs_([this](const call_times& t, wire::exchange e) { emit_sealed(t, e); }) {}

  [[nodiscard]] bool starts_message(direction d, bytes stream, bool at_segment_start);
  [[nodiscard]] std::size_t worth_keeping(direction d, bytes start);
  void message(direction d, const seen_message& m);
  void step_lost(direction d);
  void lost(direction d, const hole& h);
  void cut_reply() { losses_.orphan(orphan_reason::before_start); }
  void unseen(direction d, nanos at);
  void end(nanos at);

 private:
  struct request {
    call_times times;
    u16 command = 0;
    u16 part = 0;
    u16 operations = 1;
    bool interim = false;
    bool names = false;         ///< CREATE with a name that is known
    bool uses_previous = false; ///< of its compound
    u32 bytes = 0;              ///< of this command alone
    u64 session = 0;
    u64 handle = 0;
    u64 name = 0;   ///< name_key of the path
    u64 parent = 0; ///< name_key of the folder's path
    u64 share = 0;  ///< TREE_CONNECT: the share's number
    u64 chain = 0;  ///< MessageId of the compound's first command
    u64 offset = 0;
    u32 data_bytes = 0;
    u32 wanted = 0; ///< READ: bytes asked for
  };

  void on_smb2(const seen_message& m);
  void on_smb1(direction d, const seen_message& m);
  void on_sealed(direction d, const seen_message& m);
  void on_compressed(const seen_message& m, bool inside_sealed);
  void decompress(const seen_message& compressed);
  void on_session_packet(direction d, const seen_message& m);
  void look_into(const seen_message& sealed, const smb2::transform_header& head, bytes plain);
  void pair_sealed(direction d, const smb2::transform_header& head, const seen_message& m);
  void emit_sealed(const call_times& times, wire::exchange e);
  void on_request(const smb2::submessage& sub, const seen_message& m, request& previous, u16 parts);
  void on_response(const smb2::submessage& sub, const seen_message& m);
  void on_negotiated(const smb2::submessage& sub, const seen_message& m);
  void on_interim(const smb2::header& head, nanos now);
  void on_unsolicited(const smb2::submessage& sub);
  void on_cancel(const smb2::header& head);
  void on_orphan(const smb2::header& head);
  [[nodiscard]] orphan_reason why_orphan(const smb2::header& head) const noexcept;
  void note_session(u64 id);
  void note_sent(u64 id);
  [[nodiscard]] request* find(u64 id);
  [[nodiscard]] bool belongs(const smb2_start& start);
  [[nodiscard]] bool belongs_here(const smb2_start& start);
  [[nodiscard]] bool answers(const smb2_start& response);
  [[nodiscard]] bool repeated(const smb2::header& head, const seen_message& m);
  [[nodiscard]] std::optional<request> take(u64 id);
  [[nodiscard]] std::optional<request> take_request_of(const smb2::header& head);
  void insert(outstanding_calls<request>& into, u64 id, const request& r, nanos now);
  void name_path(const smb2::submessage& sub, const smb2_request& what, request& r);
  void remember(u64 name, u64 parent, bytes path);
  void give_up(const request& r, u64 id, nanos until, bool expired);
  void settle();
  void eliminated(const request& r, u64 id, nanos end_of_reply);
  void emit(const request& r, u64 id, const smb2_results& results, wire::exchange& e);
  void find_objects(const request& r, const smb2_results& results, wire::exchange& e);
  [[nodiscard]] u64 scope_of(const smb2::header& head);

  struct number {
    u64 value = 0;
  };
  static void put(wire::call_table<number>& table, u64 key, u64 value);

  static constexpr std::size_t trees_max = 1024;
  static constexpr std::size_t chains_max = 256;
  static constexpr std::size_t sessions_max = 64;
  static constexpr std::size_t asyncs_max = 4096;

  context& shared_;
  listed_connection& connection_;
  loss_log losses_;
  outstanding_calls<request> outstanding_;
  outstanding_calls<request> waiting_; ///< CHANGE_NOTIFY and what is pending: never expires
  answered_ids<u16> done_;
  answered_ids<u16> given_up_;
  std::optional<request> smb1_negotiate_;           ///< its answer may come as SMB2
  wire::call_table<number> trees_{trees_max};       ///< by session and tree: number of the share
  wire::call_table<number> chains_{chains_max};     ///< by first MessageId: file of the compound
  wire::call_table<number> sessions_{sessions_max}; ///< seen on this connection
  wire::call_table<number> asyncs_{asyncs_max};     ///< by AsyncId: MessageId
  smb2_handshakes handshakes_;
  smb2_pairs pairs_;
  u64 session_ = 0;               ///< of the last message
  std::optional<u64> first_sent_; ///< MessageIds of requests
  std::optional<u64> newest_sent_;
  u64 refused_ = 0; ///< candidates for the start of a message, since the step was lost
  bool requests_lost_ = false;
  bool smb1_seen_ = false;
  bool compressed_seen_ = false;
  bool session_asked_ = false; ///< NetBIOS: a session request waits for its answer
};

using smb2_stream = message_stream<smb2_matcher>;

} // namespace profiler::flow
