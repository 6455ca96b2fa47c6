// The line of wiretrip-link in virtual time: no device, no clock, no root.
#include "bench/lab/link/line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace std::chrono_literals;
using bench::lab::link::direction_settings;
using bench::lab::link::line;
using bench::lab::link::nanos;
using bench::lab::link::serialisation_time;

constexpr std::uint64_t full_frame_bytes = 1514;

struct arrived {
  nanos at;
  std::byte mark;
};

/// A frame that begins with `mark`.
std::vector<std::byte> frame(std::size_t bytes, int mark = 0) {
  std::vector<std::byte> result(bytes);
  result[0] = static_cast<std::byte>(mark);
  return result;
}

std::vector<arrived> drain(line& l) {
  std::vector<arrived> result;
  while (const auto due = l.next_due()) {
    result.push_back({*due, l.front()[0]});
    l.pop();
  }
  return result;
}

line make(const direction_settings& s, std::uint64_t seed = 7, std::uint32_t mtu = 1500) {
  return {s, mtu, 2 * s.delay, seed};
}

TEST(SerialisationTime, CountsWhatAnEthernetAddsToACapturedFrame) {
  // 1514 + 4 check sequence + 8 preamble + 12 gap = 1538 bytes of 8 bits of 10 ns.
  EXPECT_EQ(serialisation_time(1514, 100'000'000), 123'040ns);
  EXPECT_EQ(serialisation_time(1514, 1'000'000'000), 12'304ns);
}

TEST(SerialisationTime, PadsShortFramesToTheMinimum) {
  // 60 + 24 = 84 bytes is the shortest that a line can carry.
  EXPECT_EQ(serialisation_time(42, 100'000'000), 6'720ns);
  EXPECT_EQ(serialisation_time(60, 100'000'000), 6'720ns);
  EXPECT_EQ(serialisation_time(61, 100'000'000), 6'800ns);
}

TEST(SerialisationTime, IsNothingWithoutARate) {
  EXPECT_EQ(serialisation_time(1514, 0), 0ns);
}

TEST(Line, DelaysALonelyFrameByItsSerialisationAndTheDelay) {
  line l = make({.rate_bits_per_s = 100'000'000, .delay = 250us});

  l.offer(1ms, frame(full_frame_bytes));

  EXPECT_EQ(l.next_due(), 1ms + 123'040ns + 250us);
}

TEST(Line, SendsFramesOneAfterTheOther) {
  line l = make({.rate_bits_per_s = 100'000'000, .delay = 250us});

  for (int i = 0; i < 3; ++i)
    l.offer(1ms, frame(full_frame_bytes, i));

  const auto got = drain(l);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].at, 1ms + 250us + 123'040ns);
  EXPECT_EQ(got[1].at - got[0].at, 123'040ns);
  EXPECT_EQ(got[2].at - got[1].at, 123'040ns);
  EXPECT_EQ(got[2].mark, std::byte{2});
}

TEST(Line, DropsAtTheTailWhenTheQueueIsFullAndCountsIt) {
  line l = make({.rate_bits_per_s = 100'000'000, .queue_bytes = 10'000});

  for (int i = 0; i < 20; ++i)
    l.offer(0ns, frame(full_frame_bytes));

  // The backlog counts bytes on the wire, 1538 a frame: the seventh finds 9228 and does not fit.
  EXPECT_EQ(l.in_flight(), 6u);
  EXPECT_EQ(l.counters().dropped_queue, 14u);
  EXPECT_LE(l.counters().queue_peak_bytes, 10'000u);
}

TEST(Line, TakesAFrameThatIsLongerThanTheQueueWhenNothingWaits) {
  line l = make({.rate_bits_per_s = 100'000'000, .queue_bytes = 100});

  l.offer(0ns, frame(full_frame_bytes));
  l.offer(1ms, frame(full_frame_bytes));

  EXPECT_EQ(l.in_flight(), 2u);
}

TEST(Line, QueuesOneRoundTripOfTheRateByItself) {
  EXPECT_EQ(make({.rate_bits_per_s = 100'000'000, .delay = 250us}).queue_limit_bytes(),
            256 * 1024u);
  // 1 Gbit/s x 20 ms = 2.5 MB.
  EXPECT_EQ(make({.rate_bits_per_s = 1'000'000'000, .delay = 10ms}).queue_limit_bytes(),
            2'500'000u);
}

TEST(Line, DropsWhatTheMtuDoesNotAllow) {
  line l = make({});

  l.offer(0ns, frame(1500 + 14 + 4)); // with a VLAN tag
  l.offer(0ns, frame(1500 + 14 + 5));

  EXPECT_EQ(l.in_flight(), 1u);
  EXPECT_EQ(l.counters().dropped_oversize, 1u);
}

TEST(Line, LosesTheShareAskedForAndStillUsesTheLineForIt) {
  line l = make({.rate_bits_per_s = 100'000'000, .loss = 0.1, .queue_bytes = 1u << 30});

  for (int i = 0; i < 20'000; ++i)
    l.offer(0ns, frame(full_frame_bytes));

  EXPECT_NEAR(static_cast<double>(l.counters().dropped_loss), 2000, 150); // 3.5 sigma
  const auto got = drain(l);
  EXPECT_EQ(got.size() + l.counters().dropped_loss, 20'000u);
  EXPECT_NEAR(static_cast<double>(got.back().at.count()), 20'000 * 123'040.0, 50 * 123'040.0);
}

TEST(Line, RepeatsWithTheSameSeedAndOnlyWithIt) {
  const auto fates = [](std::uint64_t seed) {
    line l = make({.loss = 0.5}, seed);
    for (int i = 0; i < 64; ++i)
      l.offer(nanos{i}, frame(100, i));
    std::vector<std::byte> marks;
    for (const auto& a : drain(l))
      marks.push_back(a.mark);
    return marks;
  };

  EXPECT_EQ(fates(1), fates(1));
  EXPECT_NE(fates(1), fates(2));
}

TEST(Line, LosesTheSameFramesWhateverElseIsSet) {
  const auto lost = [](const direction_settings& s) {
    line l = make(s);
    std::vector<std::uint64_t> result;
    for (int i = 0; i < 64; ++i) {
      l.offer(nanos{i}, frame(100, i));
      result.push_back(l.counters().dropped_loss);
    }
    return result;
  };

  EXPECT_EQ(lost({.loss = 0.3}),
            lost({.jitter = 1ms, .loss = 0.3, .reorder = 0.5, .duplicate = 1}));
}

TEST(Line, KeepsTheOrderUnderJitter) {
  line l = make({.delay = 1ms, .jitter = 500us});

  for (int i = 0; i < 200; ++i)
    l.offer(i * 10us, frame(100, i));

  const auto got = drain(l);
  ASSERT_EQ(got.size(), 200u);
  for (int i = 0; i < 200; ++i) {
    const auto n = static_cast<std::size_t>(i);
    EXPECT_EQ(got[n].mark, static_cast<std::byte>(i));
    EXPECT_GE(got[n].at, i * 10us + 1ms);
    EXPECT_LE(got[n].at, i * 10us + 1ms + 500us);
  }
}

TEST(Line, LetsLaterFramesPassAReorderedOne) {
  line l = make({.delay = 1ms, .reorder_delay = 50us, .reorder = 1});
  l.offer(0ns, frame(100, 1));
  l.change({.delay = 1ms}, 1500, 2ms, 0ns);
  l.offer(10us, frame(100, 2));

  const auto got = drain(l);

  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].mark, std::byte{2});
  EXPECT_EQ(got[1].at, 1ms + 50us);
  EXPECT_EQ(l.counters().reordered, 1u);
}

TEST(Line, DeliversADuplicateRightAfterItsOriginal) {
  line l = make({.delay = 1ms, .duplicate = 1});

  l.offer(0ns, frame(100, 5));

  const auto got = drain(l);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].at, got[1].at);
  EXPECT_EQ(l.counters().duplicated, 1u);
  EXPECT_EQ(l.counters().delivered_frames, 2u);
}

TEST(Line, SendsABacklogAtTheNewRateAfterAChange) {
  line l = make({.rate_bits_per_s = 1'000'000});
  for (int i = 0; i < 10; ++i)
    l.offer(0ns, frame(full_frame_bytes)); // 12.3 ms each
  drain(l);

  l.change({.rate_bits_per_s = 1'000'000'000}, 1500, 0ns, 0ns);
  l.offer(200ms, frame(full_frame_bytes));

  EXPECT_EQ(l.next_due(), 200ms + 12'304ns);
}

TEST(Line, NeverLetsAFrameOvertakeWhenTheDelayShrinks) {
  line l = make({.delay = 100ms});
  l.offer(0ns, frame(100, 1));

  l.change({.delay = 1ms}, 1500, 2ms, 0ns);
  l.offer(1ms, frame(100, 2));

  const auto got = drain(l);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].mark, std::byte{1});
}

TEST(Line, AccountsForEveryFrame) {
  line l = make({.rate_bits_per_s = 10'000'000,
                 .delay = 1ms,
                 .jitter = 3ms,
                 .loss = 0.1,
                 .reorder = 0.2,
                 .duplicate = 0.1,
                 .queue_bytes = 20'000});
  std::uint64_t delivered = 0;

  for (int i = 0; i < 5'000; ++i) {
    const nanos now = i * 400us;
    l.offer(now, frame(static_cast<std::size_t>(60 + i % 1600)));
    for (; l.next_due() && *l.next_due() <= now; ++delivered)
      l.pop();
  }

  const auto& c = l.counters();
  EXPECT_EQ(c.delivered_frames, delivered);
  EXPECT_EQ(c.frames + c.duplicated, delivered + l.in_flight() + c.dropped_queue + c.dropped_loss +
                                         c.dropped_oversize + c.dropped_limit);
  for (const auto n : {c.dropped_queue, c.dropped_loss, c.dropped_oversize, c.reordered})
    EXPECT_GT(n, 0u);
}

TEST(Line, BoundsWhatIsUnderWay) {
  line l = make({.delay = 10s}, 7, 65521);
  const auto big = frame(65535);
  for (std::uint64_t i = 0; i < line::in_flight_limit_bytes / big.size() + 10; ++i)
    l.offer(0ns, big);

  EXPECT_EQ(l.counters().dropped_limit, 10u);
}

} // namespace
