#include "profiler/analysis/sequence_tree.hpp"

#include <algorithm>

namespace profiler::analysis {

namespace {

u64 key_of(u32 parent, const sequence_step& step) noexcept {
  static_assert(timing::operation_slots <= 1u << 11 && sequence_tree::nodes_max <= 1u << 31);
  return u64{parent} << 32 | u64{timing::slot_of(step.of)} << 8 | u64{step.run} << 2 |
         u64{step.joined} << 1 | u64{step.more};
}

} // namespace

sequence_tree::sequence_tree() : nodes_(1) {}

/// `otherwise` when there is no room for a new one.
u32 sequence_tree::child(u32 parent, const sequence_step& step, u32 otherwise) {
  const auto key = key_of(parent, step);
  if (const auto at = children_.find(key); at != children_.end()) return at->second;
  if (size() >= nodes_max) return otherwise;
  nodes_.push_back({parent, static_cast<u8>(nodes_[parent].depth + 1), step});
  const auto made = size() - 1;
  children_.emplace(key, made);
  return made;
}

u32 sequence_tree::append(u32 node, operation_key of, bool joined) {
  const auto last = nodes_[node].step;
  if (last.more) return node;
  if (node != empty && !joined && !last.joined && last.of == of) {
    if (last.run == sequence_step::many) return node;
    auto longer = last;
    ++longer.run;
    return child(nodes_[node].parent, longer, node);
  }
  const auto more = sequence_step{.of = {}, .run = 1, .joined = false, .more = true};
  if (nodes_[node].depth >= steps_max) return child(node, more, node);
  return child(node, {.of = of, .run = 1, .joined = joined, .more = false}, node);
}

std::vector<sequence_step> sequence_tree::steps(u32 node) const {
  std::vector<sequence_step> out;
  for (; node != empty; node = nodes_[node].parent)
    out.push_back(nodes_[node].step);
  std::reverse(out.begin(), out.end());
  return out;
}

u32 sequence_tree::adopt(const sequence_tree& other, u32 node) {
  u32 here = empty;
  for (const auto& step : other.steps(node))
    here = child(here, step, here);
  return here;
}

} // namespace profiler::analysis
