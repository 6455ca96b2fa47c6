#include "wire/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using wire::histogram;
using wire::i64;
using wire::nanos;

/// Latencies as they are: most small, some a thousand times larger.
std::vector<i64> heavy_tail(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> shape(12, 2);
  std::vector<i64> out(n);
  for (auto& value : out)
    value = static_cast<i64>(shape(random));
  return out;
}

histogram recorded(const std::vector<i64>& values) {
  histogram h;
  for (const auto value : values)
    h.record(nanos{value});
  return h;
}

TEST(Histogram, IsZeroWhenEmpty) {
  const histogram h;

  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.min(), nanos{0});
  EXPECT_EQ(h.max(), nanos{0});
  EXPECT_EQ(h.quantile(0.5), nanos{0});
  EXPECT_EQ(h.mean_ns(), 0.0);
}

TEST(Histogram, GivesQuantilesWithinOnePercent) {
  auto values = heavy_tail(20'000, 1);
  const auto h = recorded(values);
  std::sort(values.begin(), values.end());

  for (const double q : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))));
    const auto exact = static_cast<double>(values[rank - 1]);
    EXPECT_NEAR(static_cast<double>(h.quantile(q).count()), exact, exact * 0.01) << "at " << q;
  }
}

TEST(Histogram, IsExactForCountSumAndEnds) {
  const auto values = heavy_tail(1'000, 2);
  const auto h = recorded(values);
  i64 sum = 0;
  for (const auto value : values)
    sum += value;

  EXPECT_EQ(h.count(), values.size());
  EXPECT_EQ(h.sum().count(), sum);
  EXPECT_EQ(h.min().count(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(h.max().count(), *std::max_element(values.begin(), values.end()));
}

TEST(Histogram, MergesToWhatOneSeriesWouldHaveGiven) {
  const auto a = heavy_tail(5'000, 3);
  const auto b = heavy_tail(300, 4);
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  const auto whole = recorded(both);

  auto merged = recorded(a);
  merged.merge(recorded(b));
  merged.merge(histogram{});

  EXPECT_EQ(merged.count(), whole.count());
  EXPECT_EQ(merged.sum(), whole.sum());
  EXPECT_EQ(merged.min(), whole.min());
  EXPECT_EQ(merged.max(), whole.max());
  for (double q = 0; q <= 1; q += 0.05)
    EXPECT_EQ(merged.quantile(q), whole.quantile(q));
}

TEST(Histogram, CopiesDoNotShareLaterValues) {
  histogram a = recorded({10, 20});
  const histogram b = a;
  a.record(nanos{1'000'000});

  EXPECT_EQ(b.count(), 2u);
  EXPECT_EQ(b.quantile(1.0), nanos{20});
  EXPECT_EQ(b.quantile(0.9), nanos{20});
}

TEST(Histogram, TakesAnyValue) {
  histogram h;
  h.record(nanos{-5});
  h.record(nanos{std::numeric_limits<i64>::max() / 2});

  EXPECT_EQ(h.min(), nanos{0});
  EXPECT_EQ(h.quantile(1.0), nanos{std::numeric_limits<i64>::max() / 2});
}

} // namespace
