#pragma once

#include "profiler/flow/outstanding.hpp"
#include "profiler/flow/smb2_commands.hpp"
#include "smb2/direct_tcp.hpp"
#include "smb2/transform.hpp"

#include <optional>

namespace profiler::flow {

/// Finds for each SMB2 response of one connection its request by MessageId. Each command of a
/// compound is an exchange; `part` and `operations` tell that they share a round trip.
/// STATUS_PENDING leaves the request open; break notifications and CANCEL are counted apart;
/// sealed, compressed and SMB1 messages are recognised, counted and not looked into.
class smb2_matcher {
 public:
  using framing_policy = smb2::direct_tcp;
  static constexpr std::size_t keep_bytes = smb2_keep_bytes;

  smb2_matcher(context& shared, listed_connection& connection)
      : shared_(shared), connection_(connection) {}

  [[nodiscard]] bool starts_message(direction d, bytes stream, bool at_segment_start);
  void message(direction d, const seen_message& m);
  void lost(direction d, const hole& h);
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
    u64 handle = 0;
    u64 name = 0;   ///< name_key of the path
    u64 parent = 0; ///< name_key of the folder's path
    u64 share = 0;  ///< TREE_CONNECT: the share's number
    u64 chain = 0;  ///< MessageId of the compound's first command
    u64 offset = 0;
    u32 data_bytes = 0;
  };

  void on_smb2(const seen_message& m);
  void on_smb1(const seen_message& m);
  void on_request(const smb2::submessage& sub, const seen_message& m, request& previous, u16 parts);
  void on_response(const smb2::submessage& sub, const seen_message& m);
  void on_negotiated(const smb2::submessage& sub, const seen_message& m);
  void on_interim(u64 id, nanos now);
  [[nodiscard]] bool repeated(const smb2::header& head, const seen_message& m);
  [[nodiscard]] std::optional<request> take(u64 id);
  void insert(outstanding_calls<request>& into, u64 id, const request& r, nanos now);
  void name_path(const smb2::submessage& sub, const smb2_request& what, request& r);
  void give_up(const request& r, u64 id, nanos until);
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

  context& shared_;
  listed_connection& connection_;
  outstanding_calls<request> outstanding_;
  outstanding_calls<request> waiting_; ///< CHANGE_NOTIFY and what is pending: never expires
  answered_ids<u16> done_;
  std::optional<request> smb1_negotiate_;       ///< its answer may come as SMB2
  wire::call_table<number> trees_{trees_max};   ///< by session and tree: number of the share
  wire::call_table<number> chains_{chains_max}; ///< by first MessageId: file of the compound
};

using smb2_stream = message_stream<smb2_matcher>;

} // namespace profiler::flow
