#include "wire/call_table.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <random>
#include <utility>

namespace {

using wire::u64;

TEST(CallTable, FindsWhatWasInsertedAndNothingElse) {
  wire::call_table<int> table(10);
  table.insert(7, 70);

  ASSERT_NE(table.find(7), nullptr);
  EXPECT_EQ(*table.find(7), 70);
  EXPECT_EQ(table.find(8), nullptr);
  EXPECT_EQ(table.take(8), std::nullopt);
  EXPECT_EQ(table.take(7), 70);
  EXPECT_EQ(table.find(7), nullptr);
  EXPECT_TRUE(table.empty());
}

TEST(CallTable, HandsBackTheOldestWhenItIsFull) {
  wire::call_table<int> table(2);
  table.insert(1, 10);
  table.insert(2, 20);

  const auto third = table.insert(3, 30);

  EXPECT_EQ(third.evicted, 10);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.oldest_id(), 2u);
}

TEST(CallTable, TakesEntriesThatCanOnlyBeMoved) {
  wire::call_table<std::unique_ptr<int>> table(4);
  table.insert(1, std::make_unique<int>(5));

  EXPECT_EQ(**table.take(1), 5);
}

/// Against a list that does the same the slow way.
TEST(CallTable, AgreesWithAPlainListOverRandomUse) {
  constexpr std::size_t capacity = 64;
  wire::call_table<int> table(capacity);
  std::list<std::pair<u64, int>> model;
  std::mt19937_64 random(3);
  for (int step = 0; step < 100'000; ++step) {
    const u64 id = random() % 200 * 0x100000001u;
    const auto at = std::find_if(model.begin(), model.end(),
                                 [&](const auto& entry) { return entry.first == id; });
    if (random() % 2 == 0) {
      const auto taken = table.take(id);
      ASSERT_EQ(taken.has_value(), at != model.end());
      if (at == model.end()) continue;
      ASSERT_EQ(*taken, at->second);
      model.erase(at);
    } else if (at == model.end()) {
      const auto inserted = table.insert(id, step);
      ASSERT_EQ(inserted.evicted.has_value(), model.size() == capacity);
      if (inserted.evicted) {
        ASSERT_EQ(*inserted.evicted, model.front().second);
        model.pop_front();
      }
      model.emplace_back(id, step);
    } else {
      ASSERT_EQ(*table.find(id), at->second);
    }
    ASSERT_EQ(table.size(), model.size());
    if (!model.empty()) {
      ASSERT_EQ(*table.oldest(), model.front().second);
    }
  }
  std::vector<std::pair<u64, int>> seen;
  table.for_each([&](u64 id, int value) { seen.emplace_back(id, value); });
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), model.begin(), model.end()));
}

} // namespace
