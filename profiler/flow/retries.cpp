#include "profiler/flow/retries.hpp"

#include "profiler/flow/object_map.hpp"

#include <algorithm>

namespace profiler::flow {

u64 retry_index::key_of(const address& caller) noexcept {
  return name_key(1, std::as_bytes(std::span(caller)));
}

u64 retry_index::key_of(const address& caller, u32 xid, const rpc_call& what) noexcept {
  const std::array<u64, 9> parts{key_of(caller), xid,       what.program, what.procedure,
                                 what.object,    what.name, what.offset,  what.data_bytes,
                                 what.digest};
  return name_key(what.new_name, std::as_bytes(std::span(parts)));
}

void retry_index::join(const address& caller, retried_calls& calls) {
  callers_[key_of(caller)].push_back(&calls);
}

void retry_index::leave(const address& caller, retried_calls& calls) {
  const auto at = callers_.find(key_of(caller));
  if (at == callers_.end()) return;
  std::erase(at->second, &calls);
  if (at->second.empty()) callers_.erase(at);
}

std::optional<rpc_attempt> retry_index::find(const address& caller, u32 xid, const rpc_call& what,
                                             nanos sent, bool young, const retried_calls& self) {
  if (!kept_.empty())
    if (auto kept = kept_.take(key_of(caller, xid, what))) return kept->attempt;
  if (!young) return std::nullopt;
  const auto at = callers_.find(key_of(caller));
  if (at == callers_.end()) return std::nullopt;
  const auto& siblings = at->second;
  std::size_t looked_at = 0;
  // The newest are at the end.
  for (auto s = siblings.rbegin(); s != siblings.rend() && looked_at < siblings_max; ++s) {
    if (*s == &self) continue;
    ++looked_at;
    if (auto found = (*s)->hand_over(xid, what, sent - patience)) return found;
  }
  return std::nullopt;
}

std::optional<retry_index::abandoned> retry_index::keep(const address& caller, u32 xid,
                                                        abandoned call) {
  const auto key = key_of(caller, xid, call.attempt.what);
  if (auto earlier = kept_.take(key)) {
    kept_.insert(key, std::move(call));
    return earlier;
  }
  return std::move(kept_.insert(key, std::move(call)).evicted);
}

} // namespace profiler::flow
