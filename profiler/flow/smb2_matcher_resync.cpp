// Where the next message starts, for the smb2_matcher.

#include "profiler/flow/smb2_matcher.hpp"

#include "smb2/commands.hpp"

namespace profiler::flow {

namespace {

/// Behind a hole: how far MessageIds may have gone on (8,192 credits are what servers give, a
/// request takes up to 128), how late a request may come, what a READ response has beside its data,
/// and how many candidates that do not fit are refused.
constexpr u64 message_ids_ahead_max = u64{8192} * 128;
constexpr u64 message_ids_behind_max = 128;
constexpr u64 read_overhead_max = smb2::header_bytes + 16 + 64;
constexpr u64 refused_max = 32;
} // namespace

/// Candidates that do not fit in are refused, until so many have been that the fault must be ours:
/// their calls were not captured.
bool smb2_matcher::starts_message(direction d, bytes stream, bool) {
  const auto start = read_start(d, stream);
  if (!start) return false;
  if (belongs(*start)) return true;
  return start->ends_here && ++refused_ > refused_max;
}

bool smb2_matcher::belongs(const smb2_start& start) {
  const bool new_here = start.session_id.value_or(0) != 0 && !sessions_.empty() &&
                        sessions_.find(*start.session_id) == nullptr;
  switch (start.kind) {
  case smb2::message_kind::sealed:
    return !new_here;
  case smb2::message_kind::compressed:
    return compressed_seen_ || start.ends_here;
  case smb2::message_kind::smb1:
    return smb1_seen_ || (start.ends_here && sessions_.empty());
  case smb2::message_kind::smb2:
    if (start.response)
      return answers(start) ||
             (!new_here && outstanding_.empty() && done_.find(start.message_id) == nullptr);
    return !new_here && belongs_here(start);
  case smb2::message_kind::keep_alive:
  case smb2::message_kind::other:
    break;
  }
  return false;
}

/// A request behind a hole is new: one with an id of old is a copy in somebody's data.
bool smb2_matcher::belongs_here(const smb2_start& start) {
  const auto id = start.message_id;
  if (start.command == smb2::cancel::number || !newest_sent_) return true;
  if (id > *newest_sent_) return id - *newest_sent_ < message_ids_ahead_max;
  return *newest_sent_ - id < message_ids_behind_max && done_.find(id) == nullptr &&
         find(id) == nullptr;
}

bool smb2_matcher::answers(const smb2_start& response) {
  const auto session = response.session_id.value_or(0);
  if (response.message_id == smb2::unsolicited_message_id)
    return response.command >= smb2::oplock_break::number &&
           (session == 0 || sessions_.empty() || sessions_.find(session) != nullptr);
  const auto* r = find(response.message_id);
  if (r == nullptr || r->command != response.command) return false;
  if (r->session != 0 && session != 0 && r->session != session) return false;
  return r->command != smb2::read::number || r->operations > 1 ||
         response.length <= u64{r->wanted} + read_overhead_max;
}

} // namespace profiler::flow
