#pragma once

#include "profiler/flow/coverage.hpp"
#include "profiler/flow/outstanding.hpp"
#include "profiler/flow/rpc_programs.hpp"

#include <unordered_map>
#include <vector>

namespace profiler::flow {

/// An RPC call as its connection saw it.
struct rpc_attempt {
  rpc_call what;
  call_times times;
  u32 connection = 0; ///< its number in the list
};

/// Who has calls outstanding that may be repeated elsewhere.
class retried_calls {
 public:
  virtual ~retried_calls() = default;
  /// Gives the call with this xid away if it is the same as `what` and was sent before `until`: it
  /// is no longer outstanding here.
  virtual std::optional<rpc_attempt> hand_over(u32 xid, const rpc_call& what, nanos until) = 0;

 protected:
  retried_calls() = default;
  retried_calls(const retried_calls&) = default;
  retried_calls& operator=(const retried_calls&) = default;
};

/// Calls that their clients repeat on another connection with the same xid: behind a reconnect, or
/// with UDP from another port. A repeated call is one request with one more attempt; two mounts
/// that use the same xid by chance differ in what they ask for, or are both answered at once.
/// Bounded: `calls_max` calls of connections that are over, `siblings_max` connections looked at.
/// · source: RFC 1813 section 4.5 (reply cache), research into clients: Linux keeps xids across
///   reconnects, from the same source port or another one
class retry_index {
 public:
  static constexpr std::size_t calls_max = 4096;
  static constexpr std::size_t siblings_max = 16;
  /// Repeated calls are the first that a new connection carries.
  static constexpr u32 calls_watched = 1024;
  /// A call that a living connection still waits for counts as repeated on another one only when it
  /// has waited for longer than clients take to answer each other's xids by chance.
  static constexpr nanos patience = std::chrono::seconds(1);

  using address = std::array<u8, 16>;

  void join(const address& caller, retried_calls& calls);
  void leave(const address& caller, retried_calls& calls);

  /// The earlier attempt of a call that is seen on `self` for the first time.
  [[nodiscard]] std::optional<rpc_attempt> find(const address& caller, u32 xid,
                                                const rpc_call& what, nanos sent, bool young,
                                                const retried_calls& self);

  /// Keeps a call of a connection that is over: the call, and what it is if nobody repeats it.
  /// Gives back what has to go for it.
  struct abandoned {
    rpc_attempt attempt;
    wire::exchange unanswered;
    coverage why;      ///< what is counted then
    nanos given_up{0}; ///< when its connection ended
  };
  [[nodiscard]] std::optional<abandoned> keep(const address& caller, u32 xid, abandoned call);

  /// Calls f(abandoned) for each that was given up before `before`.
  template <class F>
  void expire(nanos before, F&& f) {
    while (const auto* oldest = kept_.oldest()) {
      if (oldest->given_up >= before) return;
      f(*kept_.take(kept_.oldest_id()));
    }
  }
  template <class F>
  void give_up_all(F&& f) {
    while (kept_.oldest() != nullptr)
      f(*kept_.take(kept_.oldest_id()));
  }

 private:
  [[nodiscard]] static u64 key_of(const address& caller, u32 xid, const rpc_call& what) noexcept;
  [[nodiscard]] static u64 key_of(const address& caller) noexcept;

  wire::call_table<abandoned> kept_{calls_max};
  std::unordered_map<u64, std::vector<retried_calls*>> callers_;
};

} // namespace profiler::flow
