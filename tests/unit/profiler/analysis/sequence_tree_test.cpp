#include "profiler/analysis/sequence_tree.hpp"

#include <gtest/gtest.h>
#include <random>

namespace {

using profiler::analysis::sequence_step;
using profiler::analysis::sequence_tree;
using profiler::timing::operation_key;

constexpr operation_key op(wire::u16 number) {
  return {wire::protocol::nfs3, number};
}

TEST(SequenceTree, GivesTheSameNumberToTheSameSequence) {
  sequence_tree tree;
  const auto a = tree.append(tree.append(sequence_tree::empty, op(8), false), op(7), false);
  const auto b = tree.append(tree.append(sequence_tree::empty, op(8), false), op(7), false);
  const auto c = tree.append(tree.append(sequence_tree::empty, op(7), false), op(8), false);

  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  ASSERT_EQ(tree.steps(a).size(), 2u);
  EXPECT_EQ(tree.steps(a)[0].of, op(8));
  EXPECT_EQ(tree.steps(a)[1].of, op(7));
}

TEST(SequenceTree, CountsRepetitionsUpToThreeAndCallsTheRestMany) {
  sequence_tree tree;
  auto node = tree.append(sequence_tree::empty, op(8), false);
  std::vector<int> runs;
  for (int i = 0; i < 6; ++i) {
    node = tree.append(node, op(7), false);
    ASSERT_EQ(tree.steps(node).size(), 2u);
    runs.push_back(tree.steps(node)[1].run);
  }

  EXPECT_EQ(runs, (std::vector<int>{1, 2, 3, 4, 4, 4}));
}

TEST(SequenceTree, TellsACompoundFromOperationsOneByOne) {
  sequence_tree tree;
  const auto first = tree.append(sequence_tree::empty, op(5), false);

  EXPECT_NE(tree.append(first, op(8), true), tree.append(first, op(8), false));
  EXPECT_TRUE(tree.steps(tree.append(first, op(5), true))[1].joined) << "no repetition";
}

TEST(SequenceTree, EndsWhatIsTooLongInOneStepMore) {
  sequence_tree tree;
  auto node = sequence_tree::empty;
  for (int i = 0; i < 200; ++i)
    node = tree.append(node, op(static_cast<wire::u16>(1 + i % 2)), false);

  const auto steps = tree.steps(node);
  ASSERT_EQ(steps.size(), std::size_t{sequence_tree::steps_max} + 1);
  EXPECT_TRUE(steps.back().more);
}

TEST(SequenceTree, StaysBoundedUnderRandomSequences) {
  sequence_tree tree;
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    auto node = sequence_tree::empty;
    for (int k = 0; k < 20; ++k)
      node = tree.append(node, op(static_cast<wire::u16>(random() % 22)), random() % 4 == 0);
  }

  EXPECT_LE(tree.size(), sequence_tree::nodes_max);
}

TEST(SequenceTree, AdoptsSequencesOfAnother) {
  sequence_tree a;
  sequence_tree b;
  static_cast<void>(b.append(sequence_tree::empty, op(3), false));
  const auto there = a.append(a.append(sequence_tree::empty, op(8), false), op(7), false);

  const auto here = b.adopt(a, there);

  EXPECT_EQ(b.steps(here), a.steps(there));
}

} // namespace
