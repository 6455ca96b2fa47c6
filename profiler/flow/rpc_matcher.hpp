#pragma once

#include "profiler/flow/outstanding.hpp"
#include "profiler/flow/rpc_programs.hpp"
#include "rpc/record_mark.hpp"

namespace profiler::flow {

/// Finds for each RPC reply of one connection (or pair of UDP ports) its call, and hands both on as
/// one exchange. Calls may go both ways (callbacks).
class rpc_matcher {
 public:
  using framing_policy = rpc::record_mark;
  static constexpr std::size_t keep_bytes = rpc_keep_bytes;

  rpc_matcher(context& shared, listed_connection& connection)
      : shared_(shared), connection_(connection) {}

  [[nodiscard]] bool starts_message(direction d, bytes stream, bool at_segment_start);
  void message(direction d, const seen_message& m);
  void lost(direction d, const hole& h);
  void end(nanos at);

 private:
  struct call {
    rpc_call what;
    call_times times;
  };

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

  [[nodiscard]] calls_one_way& calls_to(direction d) noexcept {
    return calls_[d == direction::to_server ? 0 : 1];
  }
  [[nodiscard]] static direction opposite(direction d) noexcept {
    return d == direction::to_server ? direction::to_client : direction::to_server;
  }

  [[nodiscard]] bool is_next_call(direction d, u32 xid, bool at_segment_start);
  void on_call(direction d, const seen_message& m);
  void on_reply(direction d, const seen_message& m);
  bool repeated(calls_one_way& side, u32 xid, const rpc_call& what, const seen_message& m);
  void refused(const seen_message& m, wire::errc why);
  void give_up(const call& c, u64 xid, nanos until);
  void eliminated(const call& c, u64 xid, nanos end_of_reply);
  void emit(const call& c, u64 xid, const rpc_results& results, wire::exchange& e);
  void find_objects(const rpc_call& what, const rpc_results& results, wire::exchange& e);

  context& shared_;
  listed_connection& connection_;
  std::array<calls_one_way, 2> calls_;
};

using rpc_stream = message_stream<rpc_matcher>;

} // namespace profiler::flow
