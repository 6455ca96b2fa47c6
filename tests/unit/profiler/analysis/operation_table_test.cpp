#include "profiler/analysis/operation_table.hpp"
#include "tests/support/exchanges.hpp"

#include <gtest/gtest.h>
#include <random>

namespace {

using namespace std::chrono_literals;
using profiler::analysis::operation_key;
using profiler::analysis::operation_stats;
using profiler::analysis::operation_table;
using profiler::timing::phase;
using support::exchange_at;
using wire::nanos;

constexpr operation_key read_key{wire::protocol::nfs3, 6};

void expect_equal(const operation_stats& a, const operation_stats& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.errors, b.errors);
  EXPECT_EQ(a.unanswered, b.unanswered);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.waits, b.waits);
  EXPECT_EQ(a.phases.of, b.phases.of);
  for (const double q : {0.0, 0.5, 0.9, 0.99, 1.0})
    EXPECT_EQ(a.latency.quantile(q), b.latency.quantile(q));
  EXPECT_EQ(a.srt.sum(), b.srt.sum());
  EXPECT_EQ(a.latency.min(), b.latency.min());
}

TEST(OperationTable, KeepsARowForEachOperationOfEachProtocol) {
  operation_table t;
  t.on_exchange(exchange_at(0, 10, 100, 200, 6));
  t.on_exchange(exchange_at(300, 310, 400, 900, 6));
  auto e = exchange_at(0, 0, 1, 1, 6);
  e.proto = wire::protocol::smb2;
  t.on_exchange(e);

  ASSERT_NE(t.find(read_key), nullptr);
  const auto& read = *t.find(read_key);
  EXPECT_EQ(read.count, 2u);
  EXPECT_EQ(read.latency.max(), nanos{600us});
  EXPECT_EQ(read.srt.sum(), nanos{190us + 590us});
  EXPECT_EQ(read.phases[phase::response_transmit], nanos{600us});
  EXPECT_EQ(t.rows().size(), 2u);
  EXPECT_EQ(t.count(), 3u);
}

TEST(OperationTable, CountsErrorsBytesAndRetries) {
  operation_table t;
  auto e = exchange_at(0, 0, 1, 1, 6);
  e.data_bytes = 8192;
  t.on_exchange(e);
  e.failed = true;
  e.data_bytes = 0;
  e.attempts = 3;
  t.on_exchange(e);

  EXPECT_EQ(t.find(read_key)->errors, 1u);
  EXPECT_EQ(t.find(read_key)->bytes, 8192u);
  EXPECT_EQ(t.find(read_key)->retried, 1u);
}

TEST(OperationTable, KeepsWaitsByDesignOutOfTheLatencies) {
  operation_table t;
  auto e = exchange_at(0, 0, 60'000'000, 60'000'000, 6);
  e.interim = true;
  t.on_exchange(e);
  t.on_exchange(exchange_at(0, 0, 100, 100, 6));

  const auto& s = *t.find(read_key);
  EXPECT_EQ(s.count, 2u);
  EXPECT_EQ(s.waits, 1u);
  EXPECT_EQ(s.latency.max(), nanos{100us});
  EXPECT_EQ(s.wait.max(), nanos{60s});
  EXPECT_EQ(s.wait_srt_sum, nanos{60s});
}

TEST(OperationTable, CountsUnansweredCallsApart) {
  operation_table t;
  auto e = exchange_at(0, 0, 0, 0, 6);
  e.replied = false;
  t.on_exchange(e);

  EXPECT_EQ(t.find(read_key)->count, 0u);
  EXPECT_EQ(t.find(read_key)->unanswered, 1u);
}

TEST(OperationTable, LeavesTimesThatAGapBoundsOutOfTheHistograms) {
  operation_table t;
  auto e = exchange_at(0, 10, 100, 100, 6);
  e.q1_bounded = true;
  t.on_exchange(e);
  e.q1_bounded = false;
  e.r1_bounded = true;
  t.on_exchange(e);

  EXPECT_EQ(t.find(read_key)->count, 2u);
  EXPECT_EQ(t.find(read_key)->latency.count(), 1u) << "q0 and r1 of the first are exact";
  EXPECT_EQ(t.find(read_key)->srt.count(), 0u);
}

TEST(OperationTable, CountsRoundTripsAndNotTheRestOfACompound) {
  operation_table t;
  for (wire::u16 part = 0; part < 3; ++part) {
    auto e = exchange_at(0, 0, 1, 1, static_cast<wire::u16>(part + 1));
    e.operations = 3;
    e.part = part;
    t.on_exchange(e);
  }

  EXPECT_EQ(t.count(), 3u);
  EXPECT_EQ(t.round_trips(), 1u);
}

TEST(OperationTable, PutsNumbersThatNoProtocolHasIntoOneRow) {
  operation_table t;
  for (wire::u16 n = 200; n < 60'000; n = static_cast<wire::u16>(n + 97))
    t.on_exchange(exchange_at(0, 0, 1, 1, n));

  EXPECT_EQ(t.rows().size(), 1u);
}

TEST(OperationTableProperty, MergingEqualsSeeingAll) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    operation_table a;
    operation_table b;
    operation_table all;
    for (int i = 0; i < 500; ++i) {
      const long q0 = random() % 1000;
      const long r0 = q0 + static_cast<long>(random() % 5000);
      auto e = exchange_at(q0, q0, r0, r0 + static_cast<long>(random() % 100),
                           static_cast<wire::u16>(random() % 5));
      e.replied = random() % 10 != 0;
      e.failed = random() % 4 == 0;
      e.interim = random() % 9 == 0;
      e.data_bytes = random() % 4096;
      all.on_exchange(e);
      (random() % 2 == 0 ? a : b).on_exchange(e);
    }

    a.merge(b);

    ASSERT_EQ(a.rows().size(), all.rows().size());
    for (const auto& [key, stats] : all.rows())
      expect_equal(*a.find(key), stats);
  }
}

} // namespace
