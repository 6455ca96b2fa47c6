#pragma once

#include "profiler/flow/context.hpp"
#include "profiler/flow/losses.hpp"
#include "profiler/flow/message_stream.hpp"
#include "profiler/flow/outstanding.hpp"
#include "profiler/flow/rpc_programs.hpp"
#include "rpc/record_mark.hpp"

namespace profiler::flow {

/// Finds for each RPC reply of one connection (or pair of UDP ports) its call, and hands both on as
/// one exchange. Calls may go both ways (callbacks). A call that came over another connection
/// before is one request with more attempts; it belongs to the connection of its last one.
class rpc_matcher final : public retried_calls {
 public:
  using framing_policy = rpc::record_mark;
  static constexpr std::size_t keep_bytes = rpc_listing_keep_bytes;
  static constexpr bool may_turn_to_tls = true; // RFC 9289

  rpc_matcher(context& shared, listed_connection& connection);
  rpc_matcher(const rpc_matcher&) = delete;
  rpc_matcher& operator=(const rpc_matcher&) = delete;
  ~rpc_matcher() override;

  [[nodiscard]] bool starts_message(direction d, bytes stream, bool at_segment_start);
  [[nodiscard]] std::size_t worth_keeping(direction d, bytes start);
  void message(direction d, const seen_message& m);
  void lost(direction d, const hole& h);
  void cut_reply() { losses_.orphan(orphan_reason::before_start); }
  void unseen(direction d, nanos at);
  void end(nanos at);

  std::optional<rpc_attempt> hand_over(u32 xid, const rpc_call& what, nanos until) override;

  /// What its connection still waited for when it ended: nobody repeated it.
  static void unanswered(context& shared, const retry_index::abandoned& call);

 private:
  using call = rpc_attempt;

  struct procedure {
    u32 program = 0;
    u32 number = 0;
  };

  /// The calls that go one way.
  struct calls_one_way {
    outstanding_calls<call> outstanding;
    answered_ids<procedure> done;
    u32 doubted_calls = 0; ///< since the last one, of what may be file data
  };

  [[nodiscard]] calls_one_way& calls_to(direction d) noexcept { return calls_[index_of(d)]; }
  /// Who sends calls that way.
  [[nodiscard]] const retry_index::address& caller(direction d) const noexcept {
    const auto& key = connection_.key();
    return d == direction::to_server ? key.client.address : key.server.address;
  }

  [[nodiscard]] bool is_next_call(direction d, u32 xid, bool at_segment_start);
  void on_call(direction d, const seen_message& m);
  void on_reply(direction d, const seen_message& m);
  bool repeated(direction d, u32 xid, const rpc_call& what, const seen_message& m);
  void refused(const seen_message& m, wire::errc why);
  void remember(const rpc_call& what, const call_names& names);
  void learn(u64 directory, const listed_entry& entry);
  void adopt(direction d, u32 xid, call& c, const seen_message& m);
  void give_up(direction d, const call& c, u64 xid, nanos until, bool expired);
  void abandon(direction d, const call& c, u64 xid, nanos at);
  void settle(calls_one_way& side);
  void eliminated(const call& c, u64 xid, nanos end_of_reply);
  void describe(const call& c, u64 xid, const rpc_results& results, wire::exchange& e);
  void hand_on(const call& c, const rpc_results& results, wire::exchange& e,
               wire::exchange_sink& out);
  void emit(const call& c, u64 xid, const rpc_results& results, wire::exchange& e);
  void find_objects(const rpc_call& what, const rpc_results& results, wire::exchange& e);

  context& shared_;
  listed_connection& connection_;
  loss_log losses_;
  std::array<calls_one_way, 2> calls_;
  u32 calls_seen_ = 0;
};

using rpc_stream = message_stream<rpc_matcher>;

} // namespace profiler::flow
