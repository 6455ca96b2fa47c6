#pragma once

#include "profiler/flow/context.hpp"
#include "profiler/flow/seen_message.hpp"

#include <array>

namespace profiler::flow {

/// Why the call of a reply is not known, as far as it can be told.
enum class orphan_reason : u8 {
  untold, ///< it was never captured, and no gap tells why
  in_gap,
  before_start, ///< the connection was joined in the middle
};

/// What one connection's capture lacks, so that a call without a reply, and a reply without a call,
/// can be told why. Counts both in the connection's coverage.
class loss_log {
 public:
  explicit loss_log(listed_connection& connection) : connection_(connection) {}

  void message(direction d) noexcept { seen_[index_of(d)] = true; }
  void hole(direction d, const flow::hole& h) noexcept {
    if (h.end > holes_[index_of(d)]) holes_[index_of(d)] = h.end;
    holed_[index_of(d)] = true;
  }

  /// Why a reply that travels along `d` has no call here.
  [[nodiscard]] orphan_reason why_orphan(direction d) const noexcept {
    if (holed_[index_of(opposite(d))]) return orphan_reason::in_gap;
    return connection_.mid_stream() ? orphan_reason::before_start : orphan_reason::untold;
  }

  void orphan(orphan_reason why) noexcept {
    auto& c = connection_.seen();
    ++c.orphan_replies;
    ++orphans_[static_cast<std::size_t>(why)];
    if (why == orphan_reason::in_gap) ++c.orphans_in_gaps;
    if (why == orphan_reason::before_start) ++c.orphans_before_start;
  }

  /// A call that travelled along `d`, was complete at `sent` and got no reply, is counted in `c`.
  void unanswered(direction d, nanos sent, bool expired, coverage& c) const noexcept {
    const auto replies = opposite(d);
    ++c.unanswered;
    if (!captured(replies)) return void(++c.unanswered_one_way);
    if (holed_[index_of(replies)] && holes_[index_of(replies)] >= sent)
      return void(++c.unanswered_in_gaps);
    ++(expired ? c.unanswered_expired : c.unanswered_at_end);
  }

  /// The connection is over. That nothing of the calls' direction was captured shows only now.
  void end() noexcept {
    if (captured(direction::to_server)) return;
    auto& c = connection_.seen();
    const auto [untold, in_gaps, before_start] = orphans_;
    c.orphans_one_way += untold + in_gaps + before_start;
    c.orphans_in_gaps -= in_gaps;
    c.orphans_before_start -= before_start;
  }

 private:
  /// Of UDP the messages are all there is.
  [[nodiscard]] bool captured(direction d) const noexcept {
    return connection_.tcp() == nullptr ? seen_[index_of(d)] : !connection_.unseen(d);
  }

  listed_connection& connection_;
  std::array<bool, 2> seen_{};
  std::array<bool, 2> holed_{};
  std::array<nanos, 2> holes_{}; ///< when the latest one of each direction ended
  std::array<u64, 3> orphans_{}; ///< by reason: other connections may share the coverage
};

} // namespace profiler::flow
