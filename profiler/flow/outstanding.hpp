#pragma once

#include "profiler/flow/limits.hpp"
#include "profiler/flow/seen_message.hpp"
#include "wire/call_table.hpp"
#include "wire/exchange.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace profiler::flow {

/// When a call was seen; what every protocol's calls have.
struct call_times {
  nanos q0{0};
  nanos q1{0};
  nanos resent = wire::unknown_time;    ///< last byte of the last attempt
  nanos next_call = wire::unknown_time; ///< when the caller went on to the next one
  nanos stall{0};
  u32 packet = 0;
  u32 bytes = 0;
  u8 attempts = 1;
  bool end_missing = false;

  call_times() = default;
  explicit call_times(const seen_message& m)
      : q0(m.frame.first.time), q1(m.frame.last.time), stall(m.stall), packet(m.frame.last.packet),
        bytes(static_cast<u32>(std::min<u64>(m.frame.length + m.frame.prefix_bytes, ~u32{0}))),
        end_missing(m.end_missing) {}

  void again(nanos at) noexcept {
    if (attempts < 0xFF) ++attempts;
    resent = at;
  }
  /// Somebody waited for a reply that never came at most until the next call was made.
  [[nodiscard]] nanos waited_until(nanos given_up) const noexcept {
    return known(next_call) ? std::min(next_call, given_up) : given_up;
  }
  /// Of a call that was given up then.
  [[nodiscard]] wire::exchange unanswered(nanos given_up) const noexcept {
    wire::exchange e;
    e.replied = false;
    e.t.completed = waited_until(given_up);
    return e;
  }
  /// What an exchange takes over.
  void store(wire::exchange& e) const noexcept {
    e.attempts = attempts;
    e.request_bytes = bytes;
    e.call_packet = packet;
    e.request_stall = stall;
    e.q1_bounded = end_missing;
    e.t.q0 = q0;
    e.t.q1 = q1;
    // A retry that crossed the reply did not delay it.
    if (known(resent) && (!known(e.t.r0) || resent < e.t.r0)) e.t.resent = resent;
  }
};

/// What a reply adds to an exchange.
inline void store_reply(const seen_message& m, wire::exchange& e) noexcept {
  e.reply_bytes = static_cast<u32>(std::min<u64>(m.frame.length + m.frame.prefix_bytes, ~u32{0}));
  e.reply_packet = m.frame.last.packet;
  e.reply_stall = m.stall;
  e.r1_bounded = m.end_missing;
  e.t.r0 = m.frame.first.time;
  e.t.r1 = m.frame.last.time;
}

/// Of a call whose reply was lost and is named by elimination: it ended then at the latest.
[[nodiscard]] inline wire::exchange eliminated_at(nanos end_of_reply) noexcept {
  wire::exchange e;
  e.by_elimination = true;
  e.t.r1 = end_of_reply;
  return e;
}

/// The calls that go one way and have no reply yet. `Call` has a member `times`.
/// Also knows where replies may have been lost, and names the call whose reply it was when only one
/// can have been.
template <class Call>
class outstanding_calls {
 public:
  [[nodiscard]] Call* find(u64 id) noexcept { return calls_.find(id); }
  [[nodiscard]] bool empty() const noexcept { return calls_.empty(); }
  std::optional<Call> take(u64 id) { return calls_.take(id); }

  /// The id of the latest call, answered or not.
  [[nodiscard]] std::optional<u64> newest() const noexcept {
    return has_newest_ ? std::optional(newest_) : std::nullopt;
  }

  /// Gives back the oldest call if there was no room left.
  std::optional<Call> insert(u64 id, Call c) {
    if (has_newest_)
      if (auto* before = calls_.find(newest_); before && !known(before->times.next_call))
        before->times.next_call = c.times.q0;
    newest_ = id;
    has_newest_ = true;
    return std::move(calls_.insert(id, std::move(c)).evicted);
  }

  /// Calls f(id, call) for each that has waited longer than call_expiry, and forgets it.
  template <class F>
  void expire(nanos now, F&& f) {
    while (auto* oldest = calls_.oldest()) {
      const auto& t = oldest->times;
      if (now - (known(t.resent) ? t.resent : t.q1) < call_expiry) return;
      pop(f);
    }
  }

  /// Calls f(id, call) for all that are left.
  template <class F>
  void give_up_all(F&& f) {
    while (calls_.oldest() != nullptr)
      pop(f);
  }

  /// A reply may have been in the hole. f(id, call, time of its end) as below.
  template <class F>
  void lost(const hole& h, F&& f) {
    eliminate(f);
    hole_ = h;
    later_replies_ = 0;
  }

  /// A reply came to `c`: when enough came behind the hole, the one call from before it that has
  /// none is given to f.
  template <class F>
  void answered(const Call& c, F&& f) {
    if (!hole_ || c.times.q0 <= hole_->end || ++later_replies_ < elimination_replies) return;
    eliminate(f);
  }

  /// Replies passed that nobody captured: their way is not in the capture, and the caller's
  /// acknowledgements tell of them.
  void unseen(nanos at) noexcept { unseen_ = at; }

  /// To be called before the caller's next call is inserted: when there is one call outstanding, or
  /// one group of them, that is what the unseen replies answered. f(id, call, latest time of the
  /// reply). With several, nobody can tell.
  template <class Group, class F>
  void settle(Group&& group, F&& f) {
    if (!unseen_) return;
    const auto until = *unseen_;
    unseen_.reset();
    std::vector<u64> ids;
    std::optional<u64> only;
    bool one = true;
    calls_.for_each([&](u64 id, const Call& c) {
      if (!one || c.times.q1 > until) return;
      const auto g = group(id, c);
      one = !only || *only == g;
      only = g;
      ids.push_back(id);
    });
    if (!one) return;
    for (const auto id : ids)
      f(id, *calls_.take(id), until);
  }

  template <class F>
  void eliminate(F&& f) {
    if (!hole_) return;
    const auto end = hole_->end;
    hole_.reset();
    u64 candidate = 0;
    std::size_t candidates = 0;
    calls_.for_each([&](u64 id, const Call& c) {
      if (c.times.q1 > end) return;
      candidate = id;
      ++candidates;
    });
    if (candidates != 1) return;
    const auto c = calls_.take(candidate);
    f(candidate, *c, end);
  }

 private:
  template <class F>
  void pop(F&& f) {
    const auto id = calls_.oldest_id();
    const auto c = calls_.take(id);
    f(id, *c);
  }

  wire::call_table<Call> calls_{outstanding_calls_max};
  u64 newest_ = 0;
  bool has_newest_ = false;
  std::optional<hole> hole_;
  std::optional<nanos> unseen_;
  u32 later_replies_ = 0;
};

/// The ids that were answered last, with something to compare a repeated call with.
template <class T>
class answered_ids {
 public:
  void add(u64 id, T what) {
    if (auto* found = ids_.find(id))
      *found = what;
    else
      ids_.insert(id, what);
  }
  [[nodiscard]] const T* find(u64 id) noexcept { return ids_.find(id); }

 private:
  wire::call_table<T> ids_{answered_ids_max};
};

} // namespace profiler::flow
