#pragma once

#include "profiler/timing/operation_key.hpp"

#include <unordered_map>
#include <vector>

namespace profiler::analysis {

using timing::operation_key;
using wire::u32;
using wire::u64;
using wire::u8;

/// Operations one after the other. `run` is how often in a row, up to 3; `many` for 4 and more.
struct sequence_step {
  static constexpr u8 many = 4;

  operation_key of;
  u8 run = 1;
  bool joined = false; ///< in the same compound as the step before
  bool more = false;   ///< stands for all that came behind the longest sequence that is kept

  friend bool operator==(const sequence_step&, const sequence_step&) = default;
};

/// Keeps each sequence of operations once, so that a file needs only a number for what happened to
/// it. A node is a sequence, its parent the same without the last step. Bounded in length and in
/// number; what is too long ends in a step `more`.
class sequence_tree {
 public:
  static constexpr u32 empty = 0;
  static constexpr u8 steps_max = 24;
  static constexpr u32 nodes_max = 1u << 15;

  sequence_tree();

  /// The sequence `node` with one more operation. Never fails.
  [[nodiscard]] u32 append(u32 node, operation_key of, bool joined);

  [[nodiscard]] std::vector<sequence_step> steps(u32 node) const;
  [[nodiscard]] u32 size() const noexcept { return static_cast<u32>(nodes_.size()); }

  /// The number that `node` of another tree has in this one.
  [[nodiscard]] u32 adopt(const sequence_tree& other, u32 node);

 private:
  struct tree_node {
    u32 parent = 0;
    u8 depth = 0;
    sequence_step step;
  };

  [[nodiscard]] u32 child(u32 parent, const sequence_step& step, u32 otherwise);

  std::vector<tree_node> nodes_;
  std::unordered_map<u64, u32> children_; ///< by parent and step
};

} // namespace profiler::analysis
