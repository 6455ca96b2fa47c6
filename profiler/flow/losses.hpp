#pragma once

#include "profiler/flow/coverage.hpp"
#include "profiler/flow/seen_message.hpp"

#include <array>

namespace profiler::flow {

/// What one connection's capture lacks, so that a call without a reply, and a reply without a call,
/// can be told why.
class loss_log {
 public:
  /// `tcp`: what the connection knows of its packets; nullptr: its messages are all there is.
  loss_log(bool mid_stream, const net::tcp_facts* tcp) : mid_stream_(mid_stream), tcp_(tcp) {}

  void message(direction d) noexcept { seen_[index(d)] = true; }
  void hole(direction d, const flow::hole& h) noexcept {
    if (h.end > holes_[index(d)]) holes_[index(d)] = h.end;
    holed_[index(d)] = true;
  }

  /// Counts a reply that travelled along `d` and whose call is not known.
  void orphan(direction d, coverage& c) const noexcept {
    const auto calls = opposite(d);
    ++c.orphan_replies;
    if (holed_[index(calls)]) return void(++c.orphans_in_gaps);
    if (mid_stream_) ++c.orphans_before_start;
  }

  /// The connection is over. That nothing of the calls' direction was captured shows only now.
  void end(coverage& c) const noexcept {
    if (captured(direction::to_server)) return;
    c.orphans_one_way = c.orphan_replies;
    c.orphans_in_gaps = c.orphans_before_start = 0;
  }

  /// Counts a call that travelled along `d`, was complete at `sent` and got no reply.
  void unanswered(direction d, nanos sent, bool expired, coverage& c) const noexcept {
    const auto replies = opposite(d);
    ++c.unanswered;
    if (!captured(replies)) return void(++c.unanswered_one_way);
    if (holed_[index(replies)] && holes_[index(replies)] >= sent)
      return void(++c.unanswered_in_gaps);
    ++(expired ? c.unanswered_expired : c.unanswered_at_end);
  }

  [[nodiscard]] static direction opposite(direction d) noexcept {
    return d == direction::to_server ? direction::to_client : direction::to_server;
  }

 private:
  [[nodiscard]] static std::size_t index(direction d) noexcept {
    return d == direction::to_server ? 0 : 1;
  }

  [[nodiscard]] bool captured(direction d) const noexcept {
    if (tcp_ == nullptr) return seen_[index(d)];
    return tcp_->unseen !=
           (d == direction::to_server ? net::unseen_side::client : net::unseen_side::server);
  }

  bool mid_stream_;
  const net::tcp_facts* tcp_;
  std::array<bool, 2> seen_{};
  std::array<bool, 2> holed_{};
  std::array<nanos, 2> holes_{}; ///< when the latest one of each direction ended
};

} // namespace profiler::flow
