#include "profiler/timing/attribution.hpp"
#include "tests/support/exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace {

using namespace std::chrono_literals;
using profiler::timing::attribution;
using profiler::timing::operation_key;
using profiler::timing::phase;
using profiler::timing::phases_of;
using support::exchange_at;
using wire::nanos;

constexpr auto nfs3 = wire::protocol::nfs3;
constexpr double close_enough = 1e-9;

double sum_of(const attribution& a) {
  double sum = 0;
  for (const auto& row : a.rows())
    sum += row.seconds;
  return sum;
}

/// Requests as they complete: overlapping, some in compounds, some retried, some long.
std::vector<wire::exchange> random_workload(unsigned seed, int n) {
  std::mt19937_64 random(seed);
  const auto between = [&](long a, long b) {
    return std::uniform_int_distribution<long>(a, b)(random);
  };
  std::vector<wire::exchange> out;
  long now = 1'000'000;
  for (int i = 0; i < n; ++i) {
    now += between(0, 10) < 3 ? between(0, 3000) : between(0, 100);
    const long q1 = now + between(0, 50);
    const long r0 = q1 + between(0, 2000);
    auto e = exchange_at(now, q1, r0, r0 + between(0, 200), static_cast<wire::u16>(between(0, 21)));
    if (between(0, 1) == 0) e.network = 300us; // of the others no estimate is known
    if (between(0, 20) == 0) e.request_stall = std::chrono::microseconds(between(0, 60));
    if (between(0, 30) == 0)
      e.t.resent = e.t.q1 + nanos{std::chrono::microseconds(between(0, 900))};
    if (between(0, 10) == 0) {
      e.operations = static_cast<wire::u16>(between(2, 4));
      for (wire::u16 part = 1; part < e.operations; ++part) {
        auto rider = e;
        rider.part = part;
        out.push_back(rider);
      }
    }
    out.push_back(e);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.t.r1 < b.t.r1; });
  return out;
}

/// The definition, instant by instant (whole microseconds), with no cleverness at all.
std::map<std::pair<phase, wire::u16>, double>
by_definition(const std::vector<wire::exchange>& all) {
  std::map<std::pair<phase, wire::u16>, double> out;
  long first = 1L << 60;
  long last = 0;
  for (const auto& e : all) {
    first = std::min(first, static_cast<long>(e.t.q0.count()));
    last = std::max(last, static_cast<long>(e.t.r1.count()));
  }
  constexpr long step = 250; // every boundary of the test lies on it
  for (long t = first; t < last; t += step) {
    double outstanding = 0;
    for (const auto& e : all)
      if (e.t.q0.count() <= t && t < e.t.r1.count()) outstanding += 1.0 / e.operations;
    for (const auto& e : all) {
      if (e.t.q0.count() > t || t >= e.t.r1.count()) continue;
      const auto list = phases_of(e);
      const auto in = std::find_if(list.spans.begin(), list.spans.begin() + list.count,
                                   [&](const auto& s) { return t < s.end.count(); });
      out[std::pair(in->what, e.operation)] +=
          static_cast<double>(step) / 1e9 / e.operations / outstanding;
    }
    if (outstanding == 0)
      out[std::pair(phase::think, wire::u16{0})] += static_cast<double>(step) / 1e9;
  }
  return out;
}

TEST(Attribution, GivesASerialWorkloadItsPhasesAndTheRestToThink) {
  attribution a;
  for (auto e : {exchange_at(0, 10, 1000, 1100, 8), exchange_at(1500, 1500, 2000, 2000, 7)}) {
    e.network = 400us;
    a.on_exchange(e);
  }
  a.finish();

  EXPECT_NEAR(a.wall_seconds(), 2e-3, close_enough);
  EXPECT_NEAR(a.seconds(phase::think), 400e-6, close_enough);
  EXPECT_NEAR(a.seconds(phase::network), 800e-6, close_enough);
  EXPECT_NEAR(a.seconds(phase::server), 690e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 8}), 1100e-6, close_enough);
  EXPECT_NEAR(a.residual_seconds(), 0, close_enough);
}

TEST(Attribution, SharesAnInstantAmongTheRequestsThatAreOutstanding) {
  attribution a;
  a.on_exchange(exchange_at(0, 0, 1000, 1000, 1));
  a.on_exchange(exchange_at(500, 500, 1500, 1500, 2));
  a.finish();

  EXPECT_NEAR(a.seconds(operation_key{nfs3, 1}), 750e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 2}), 750e-6, close_enough);
  EXPECT_NEAR(a.mean_outstanding(), 2000.0 / 1500.0, 1e-9);
}

TEST(Attribution, CountsACompoundAsOneRequestAmongOthers) {
  attribution a;
  for (wire::u16 part = 0; part < 3; ++part) {
    auto e = exchange_at(0, 0, 900, 900, static_cast<wire::u16>(10 + part));
    e.operations = 3;
    e.part = part;
    a.on_exchange(e);
  }
  a.on_exchange(exchange_at(0, 0, 900, 900, 1));
  a.finish();

  EXPECT_NEAR(a.seconds(operation_key{nfs3, 1}), 450e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 10}), 150e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 12}), 150e-6, close_enough);
}

TEST(Attribution, LeavesWaitsByDesignOnlyTheTimeThatNobodyElseHas) {
  attribution a;
  a.on_exchange(exchange_at(0, 0, 100, 100, 1));
  auto lock = exchange_at(50, 50, 600, 600, 10);
  lock.proto = wire::protocol::smb2;
  lock.long_wait = true;
  a.on_exchange(lock);
  a.on_exchange(exchange_at(700, 700, 800, 800, 1));
  a.finish();

  EXPECT_NEAR(a.seconds(phase::waiting), 500e-6, close_enough);
  EXPECT_NEAR(a.seconds(phase::think), 100e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 1}), 200e-6, close_enough);
}

TEST(Attribution, DoesNotTakeASubscriptionForAWait) {
  attribution a;
  auto notify = exchange_at(0, 0, 60'000, 60'000, 15);
  notify.proto = wire::protocol::smb2;
  notify.long_wait = true;
  a.on_exchange(exchange_at(0, 0, 100, 100));
  a.on_exchange(exchange_at(50'000, 50'000, 50'100, 50'100));
  a.on_exchange(notify);
  a.finish();

  EXPECT_NEAR(a.wall_seconds(), 50.1e-3, close_enough);
  EXPECT_NEAR(a.seconds(phase::think), 49.9e-3, close_enough);
}

TEST(Attribution, LetsAnUnansweredCallWaitUntilSomethingElseHappens) {
  attribution a;
  auto lost = exchange_at(100, 110, 0, 0, 6);
  lost.replied = false;
  lost.t.r0 = lost.t.r1 = wire::unknown_time;
  lost.t.completed = 5s;
  a.on_exchange(exchange_at(0, 0, 100, 100));
  a.on_exchange(exchange_at(3000, 3000, 3100, 3100));
  a.on_exchange(lost);
  a.finish();

  EXPECT_NEAR(a.wall_seconds(), 3.1e-3, close_enough) << "no reply ends later";
  EXPECT_NEAR(a.seconds(phase::waiting), 2.89e-3, close_enough);
  EXPECT_NEAR(a.residual_seconds(), 0, close_enough);
}

TEST(Attribution, SaysHowMuchARequestMissedThatTooManyOvertook) {
  attribution a(8);
  for (long i = 0; i < 100; ++i)
    a.on_exchange(exchange_at(i * 10, i * 10, i * 10 + 5, i * 10 + 5));
  a.on_exchange(exchange_at(0, 0, 1000, 1000, 9));
  a.finish();

  EXPECT_GT(a.late_seconds(), 500e-6);
  EXPECT_NEAR(sum_of(a), a.wall_seconds(), close_enough);
}

TEST(Attribution, StaysBoundedAndExactWithThousandsOfUnansweredCalls) {
  attribution a(64);
  a.on_exchange(exchange_at(0, 0, 100, 100));
  for (long i = 0; i < 5000; ++i) {
    auto lost = exchange_at(50 + i, 50 + i, 0, 0, 6);
    lost.replied = false;
    lost.t.r0 = lost.t.r1 = wire::unknown_time;
    lost.t.completed = 10s;
    a.on_exchange(lost);
  }
  a.on_exchange(exchange_at(9000, 9000, 9100, 9100));
  a.finish();

  EXPECT_NEAR(a.wall_seconds(), 9.1e-3, close_enough);
  EXPECT_NEAR(sum_of(a), a.wall_seconds(), close_enough);
}

TEST(Attribution, OfNothingIsNothing) {
  attribution a;
  a.finish();

  EXPECT_EQ(a.wall_seconds(), 0);
  EXPECT_TRUE(a.rows().empty());
}

TEST(Attribution, AddsUpOverWorkloads) {
  attribution a;
  a.on_exchange(exchange_at(0, 0, 100, 100, 1));
  a.finish();
  attribution b;
  b.on_exchange(exchange_at(0, 0, 300, 300, 2));
  b.on_exchange(exchange_at(400, 400, 500, 500, 1));
  b.finish();

  a.merge(b);

  EXPECT_NEAR(a.wall_seconds(), 600e-6, close_enough);
  EXPECT_NEAR(a.seconds(operation_key{nfs3, 1}), 200e-6, close_enough);
  EXPECT_NEAR(a.seconds(phase::think), 100e-6, close_enough);
}

TEST(AttributionProperty, SumsToTheWallTime) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    attribution a(seed % 2 == 0 ? 64 : 16384);
    for (const auto& e : random_workload(seed, 400))
      a.on_exchange(e);
    a.finish();

    EXPECT_NEAR(sum_of(a), a.wall_seconds(), close_enough) << "seed " << seed;
    EXPECT_NEAR(a.residual_seconds(), 0, close_enough) << "seed " << seed;
  }
}

TEST(AttributionProperty, EqualsTheDefinitionInstantByInstant) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    auto workload = random_workload(seed, 25);
    for (auto& e : workload) { // onto the grid of the definition
      e.request_stall = e.request_stall / 2000 * 2000;
      for (auto* t : {&e.t.q0, &e.t.q1, &e.t.r0, &e.t.r1, &e.t.resent})
        if (wire::known(*t)) *t = nanos{t->count() / 2000 * 2000};
    }
    attribution a;
    for (const auto& e : workload)
      a.on_exchange(e);
    a.finish();
    auto expected = by_definition(workload);

    for (const auto& row : a.rows()) {
      const auto key =
          std::pair(row.what, row.what == phase::think ? wire::u16{0} : row.of.operation);
      EXPECT_NEAR(row.seconds, expected[key], close_enough)
          << to_string(row.what) << " " << row.of.operation << " seed " << seed;
      expected.erase(key);
    }
    for (const auto& [key, seconds] : expected)
      EXPECT_NEAR(seconds, 0, close_enough) << to_string(key.first) << " " << key.second;
  }
}

TEST(AttributionProperty, DoesNotDependOnTheWindow) {
  const auto workload = random_workload(99, 3000);
  attribution whole(1u << 20);
  attribution windowed(512);
  for (const auto& e : workload) {
    whole.on_exchange(e);
    windowed.on_exchange(e);
  }
  whole.finish();
  windowed.finish();

  const auto expected = whole.rows();
  const auto got = windowed.rows();
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& row : expected) {
    const auto same = std::find_if(got.begin(), got.end(), [&](const auto& r) {
      return r.what == row.what && r.of == row.of;
    });
    ASSERT_NE(same, got.end());
    EXPECT_NEAR(same->seconds, row.seconds, close_enough);
  }
  EXPECT_EQ(windowed.late_seconds(), 0);
}

TEST(Attribution, GivesAnNfs4CompoundToItsMainOperationAlone) {
  attribution a;
  auto e = exchange_at(0, 0, 1000, 1000, 18);
  e.proto = wire::protocol::nfs4_1;
  e.operations = 5;
  a.on_exchange(e);
  e.part = 1;
  e.operation = 22;
  e.t = {};
  a.on_exchange(e);
  a.finish();

  EXPECT_NEAR(a.seconds({wire::protocol::nfs4_1, 18}), 0.001, close_enough);
  EXPECT_NEAR(a.seconds({wire::protocol::nfs4_1, 22}), 0, close_enough);
  EXPECT_NEAR(a.mean_outstanding(), 1, close_enough) << "one round trip, however many operations";
}

TEST(Attribution, LeavesCallbacksToTheServer) {
  attribution a;
  a.on_exchange(exchange_at(0, 0, 1000, 1000));
  auto callback = exchange_at(2000, 2000, 9000, 9000, 4);
  callback.proto = wire::protocol::nfs4_cb;
  a.on_exchange(callback);
  a.finish();

  EXPECT_NEAR(a.wall_seconds(), 0.001, close_enough);
  EXPECT_NEAR(a.seconds({wire::protocol::nfs4_cb, 4}), 0, close_enough);
}

} // namespace
