#include "profiler/timing/phase.hpp"
#include "tests/support/exchanges.hpp"

#include <gtest/gtest.h>
#include <random>

namespace {

using namespace std::chrono_literals;
using profiler::timing::phase;
using profiler::timing::phase_sums;
using profiler::timing::phases_of;
using support::exchange_at;
using wire::nanos;

wire::exchange with_network(wire::exchange e, nanos network) {
  e.network = network;
  return e;
}

phase_sums sums_of(const wire::exchange& e) {
  phase_sums out;
  out.add(phases_of(e));
  return out;
}

TEST(Phases, SplitARequestByItsFourTimesAndTheRoundTripTime) {
  const auto sums = sums_of(with_network(exchange_at(100, 140, 1000, 1300), 500us));

  EXPECT_EQ(sums[phase::request_transmit], nanos{40us});
  EXPECT_EQ(sums[phase::network], nanos{500us});
  EXPECT_EQ(sums[phase::server], nanos{360us});
  EXPECT_EQ(sums[phase::response_transmit], nanos{300us});
  EXPECT_EQ(sums.total(), nanos{1200us});
}

TEST(Phases, AreMergedWhereNoRoundTripTimeIsKnown) {
  const auto sums = sums_of(exchange_at(0, 0, 900, 900));

  EXPECT_EQ(sums[phase::network_server], nanos{900us});
  EXPECT_EQ(sums[phase::network] + sums[phase::server], nanos{0});
}

TEST(Phases, GiveTheServerNothingWhenTheReplyCameFasterThanTheRoundTripTime) {
  const auto sums = sums_of(with_network(exchange_at(0, 0, 300, 300), 500us));

  EXPECT_EQ(sums[phase::network], nanos{300us});
  EXPECT_EQ(sums[phase::server], nanos{0});
}

TEST(Phases, PutTheWayThereBeforeTheServerAndTheWayBackBehindIt) {
  const auto list = phases_of(with_network(exchange_at(0, 0, 1000, 1000), 500us));

  ASSERT_EQ(list.count, 3);
  EXPECT_EQ(list.spans[0].what, phase::network);
  EXPECT_EQ(list.spans[0].end, nanos{250us});
  EXPECT_EQ(list.spans[1].what, phase::server);
  EXPECT_EQ(list.spans[1].end, nanos{750us});
  EXPECT_EQ(list.spans[2].what, phase::network);
}

TEST(Phases, TakeStallsOutOfThePhaseTheyFallIn) {
  auto e = exchange_at(0, 41'000, 42'000, 42'500);
  e.request_stall = 40ms;
  e.reply_stall = 100us;

  const auto sums = sums_of(e);

  EXPECT_EQ(sums[phase::stall], nanos{40'100us});
  EXPECT_EQ(sums[phase::request_transmit], nanos{1000us});
  EXPECT_EQ(sums[phase::response_transmit], nanos{400us});
  EXPECT_EQ(sums.total(), nanos{42'500us});
}

TEST(Phases, CallTheTimeBeforeTheLastAttemptAStall) {
  auto e = exchange_at(0, 10, 1'000'500, 1'000'500);
  e.t.resent = nanos{1'000'000us};
  e.attempts = 2;

  const auto sums = sums_of(with_network(e, 400us));

  EXPECT_EQ(sums[phase::stall], nanos{999'990us});
  EXPECT_EQ(sums[phase::network], nanos{400us});
  EXPECT_EQ(sums[phase::server], nanos{100us});
}

TEST(Phases, KeepWaitsByDesignOutOfTheServer) {
  auto e = exchange_at(0, 0, 35'000'000, 35'000'000);
  e.interim = true;

  const auto sums = sums_of(with_network(e, 200us));

  EXPECT_EQ(sums[phase::server], nanos{0});
  EXPECT_EQ(sums[phase::waiting], nanos{34'999'800us});
}

TEST(Phases, OfOurOwnClientsReachFromTheCallersQuestionToItsAnswer) {
  auto e = exchange_at(50, 60, 500, 600);
  e.t.submitted = 10us;
  e.t.granted = 30us;
  e.t.encoded = 45us;
  e.t.completed = 640us;

  const auto sums = sums_of(with_network(e, 300us));

  EXPECT_EQ(sums[phase::queue], nanos{20us});
  EXPECT_EQ(sums[phase::encode], nanos{20us});
  EXPECT_EQ(sums[phase::decode], nanos{40us});
  EXPECT_EQ(sums.total(), nanos{630us});
}

TEST(Phases, OfACallWithoutReplyEndWhereNobodyWaitedAnyMore) {
  auto e = exchange_at(0, 10, 0, 0);
  e.replied = false;
  e.t.r0 = e.t.r1 = wire::unknown_time;
  e.t.completed = 5ms;

  const auto sums = sums_of(with_network(e, 200us));

  EXPECT_EQ(sums[phase::waiting], nanos{4990us});
  EXPECT_EQ(sums[phase::server] + sums[phase::network], nanos{0});
}

TEST(Phases, OfAReplyWhoseStartIsNotKnownAreNotGuessed) {
  auto e = exchange_at(0, 10, 0, 900);
  e.t.r0 = wire::unknown_time;

  const auto sums = sums_of(with_network(e, 200us));

  EXPECT_EQ(sums[phase::network_server], nanos{890us});
  EXPECT_EQ(sums[phase::response_transmit], nanos{0});
}

TEST(Phases, AreEmptyWhenTimeRunsBackwards) {
  EXPECT_EQ(sums_of(with_network(exchange_at(500, 600, 300, 400), 50us)).total(), nanos{0});
}

TEST(PhasesProperty, SumToTheLatencyWhateverTheTimes) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<long> at(0, 5000);
  for (int i = 0; i < 20'000; ++i) {
    auto e = exchange_at(at(random), at(random), at(random), at(random));
    e.request_stall = std::chrono::microseconds(at(random));
    e.reply_stall = std::chrono::microseconds(at(random));
    if (i % 5 == 0) e.t.resent = std::chrono::microseconds(at(random));
    e.interim = i % 7 == 0;
    const auto network =
        i % 3 == 0 ? wire::unknown_time : nanos{std::chrono::microseconds(at(random))};

    const auto sums = sums_of(with_network(e, network));

    ASSERT_EQ(sums.total(), std::max(e.latency(), nanos{0})) << "round " << i;
    for (const auto part : sums.of)
      ASSERT_GE(part, nanos{0});
  }
}

} // namespace
