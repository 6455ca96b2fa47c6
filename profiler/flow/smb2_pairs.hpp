#pragma once

#include "profiler/flow/outstanding.hpp"

#include <deque>
#include <functional>
#include <map>

namespace profiler::flow {

/// Pairs sealed messages that cannot be looked into, by what their headers say: session, direction
/// and size. A response belongs to a request when that is the only one outstanding in its session
/// on this connection, and when its size is none of those that an interim response or a
/// notification has. Whether a message was one too many shows later, by a response that nobody
/// waits for; so pairs are held back until `held_max` others came behind them, and then taken back.
/// · source: MS-SMB2 2.2.2, 2.2.23, 3.3.4.2 (interim responses)
class smb2_pairs {
 public:
  /// Takes a pair that is sure: the request's times, and an exchange with those of the response.
  using sink = std::function<void(const call_times&, wire::exchange)>;

  explicit smb2_pairs(sink out) : out_(std::move(out)) {}

  /// `size` is that of the plain text. Gives back how many requests are found to have no response
  /// that is sure.
  [[nodiscard]] u64 request(u64 session_id, const seen_message& m);
  [[nodiscard]] u64 response(u64 session_id, u64 size, const seen_message& m);
  /// Messages of either direction may be missing.
  [[nodiscard]] u64 lost();
  /// The connection is over.
  [[nodiscard]] u64 end();

 private:
  struct pair {
    call_times request;
    wire::exchange response;
  };
  struct lane {
    u64 outstanding = 0;
    std::optional<call_times> only; ///< the request, while it is the only one
    u64 doubtful = 0;  ///< responses that may have been no final ones, since one was too many
    bool lost = false; ///< messages are missing: responses may have no request here
    std::size_t held_since = 0; ///< of `held`, behind what is missing
    nanos last{0};
    std::deque<pair> held;
  };

  static constexpr std::size_t lanes_max = 64;
  static constexpr std::size_t held_max = 64;

  static u64 forget_outstanding(lane& of);
  u64 one_too_many(lane& of, u64 size);
  void release(lane& of, std::size_t keep);

  sink out_;
  std::map<u64, lane> lanes_;
};

} // namespace profiler::flow
