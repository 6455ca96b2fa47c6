#include "profiler/flow/smb2_pairs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "smb2/header.hpp"

namespace profiler::flow {

namespace {

/// A header and what has no data of its own: an error or interim response (2.2.2; some servers
/// leave its one byte of padding out), a break notification (2.2.23.1: 24, 2.2.23.2: 44) and one of
/// the server to the client (2.2.44: 12).
constexpr std::array<u64, 5> doubtful_bodies{8, 9, 12, 24, 44};

bool maybe_not_final(u64 size) noexcept {
  return std::any_of(doubtful_bodies.begin(), doubtful_bodies.end(),
                     [&](u64 body) { return size == smb2::header_bytes + body; });
}

} // namespace

u64 smb2_pairs::forget_outstanding(lane& of) {
  of.outstanding = 0;
  const bool was_alone = of.only.has_value();
  of.only.reset();
  return was_alone ? 1 : 0;
}

u64 smb2_pairs::request(u64 session_id, const seen_message& m) {
  auto found = lanes_.find(session_id);
  if (found == lanes_.end()) {
    if (lanes_.size() >= lanes_max) return 1;
    found = lanes_.try_emplace(session_id).first;
  }
  auto& of = found->second;
  u64 unpaired = 0;
  if (of.outstanding > 0 && m.frame.first.time - of.last > call_expiry) {
    unpaired += forget_outstanding(of);
    ++of.doubtful;
  }
  of.last = m.frame.last.time;
  if (of.outstanding++ == 0) {
    of.only.emplace(m);
    return unpaired;
  }
  if (of.only) ++unpaired;
  of.only.reset();
  return unpaired + 1;
}

/// Nobody waits for this response.
u64 smb2_pairs::one_too_many(lane& of, u64 size) {
  if (of.doubtful == 0 && !of.lost && maybe_not_final(size)) return 0;
  const auto taken_back = of.doubtful > 0 || !of.lost ? of.held.size() : of.held_since;
  if (of.doubtful > 0) --of.doubtful;
  of.held.resize(of.held.size() - taken_back);
  of.held_since = 0;
  return taken_back;
}

u64 smb2_pairs::response(u64 session_id, u64 size, const seen_message& m) {
  const auto found = lanes_.find(session_id);
  if (found == lanes_.end()) return 0;
  auto& of = found->second;
  if (of.outstanding == 0) return one_too_many(of, size);
  --of.outstanding;
  const bool doubtful = maybe_not_final(size);
  if (doubtful) ++of.doubtful;
  const auto only = std::exchange(of.only, std::nullopt);
  if (!only) return 0;
  if (doubtful) return 1;
  wire::exchange e;
  store_reply(m, e);
  of.held.push_back({*only, e});
  if (of.lost) ++of.held_since;
  release(of, held_max);
  return 0;
}

void smb2_pairs::release(lane& of, std::size_t keep) {
  while (of.held.size() > keep) {
    out_(of.held.front().request, of.held.front().response);
    of.held.pop_front();
  }
  of.held_since = std::min(of.held_since, of.held.size());
}

u64 smb2_pairs::lost() {
  u64 unpaired = 0;
  for (auto& [id, of] : lanes_) {
    unpaired += forget_outstanding(of);
    of.lost = true;
  }
  return unpaired;
}

u64 smb2_pairs::end() {
  u64 unpaired = 0;
  for (auto& [id, of] : lanes_) {
    release(of, 0);
    unpaired += forget_outstanding(of);
  }
  return unpaired;
}

} // namespace profiler::flow
