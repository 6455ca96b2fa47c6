#include "profiler/timing/phase.hpp"
#include "tests/support/synthesiser/files.hpp"
#include "tests/support/synthesiser/scenarios.hpp"
#include "tests/support/synthesiser/transforms.hpp"

#include <algorithm>
#include <gtest/gtest.h>

/// The captures in which other analysers lose requests or tell times that mislead: what must come
/// out of each. `synthesise DIR` writes them as files; what tshark 4.0 makes of them is told
/// beside.
namespace {

using namespace std::chrono_literals;
using profiler::timing::phase;
using support::analyse;
using support::scenario;
using support::scenario_start;
using wire::known;
using wire::nanos;
using wire::protocol;

profiler::timing::phase_sums phases(const wire::exchange& e) {
  profiler::timing::phase_sums sums;
  sums.add(profiler::timing::phases_of(e));
  return sums;
}

const wire::exchange& only(const support::analysed& a, wire::u64 id) {
  const auto same = [&](const wire::exchange& e) { return e.id == id; };
  EXPECT_EQ(std::count_if(a.exchanges.begin(), a.exchanges.end(), same), 1) << "id " << id;
  return *std::find_if(a.exchanges.begin(), a.exchanges.end(), same);
}

const profiler::analysis::operation_stats& row(const support::analysed& a, protocol p,
                                               wire::u16 operation) {
  const auto* found = a.result.operations.find({p, operation});
  if (found == nullptr) throw std::out_of_range("no such operation");
  return *found;
}

/// Id and the four times of each request, in the order in which they completed.
struct request_times {
  wire::u64 id;
  std::array<nanos, 4> t;
  friend bool operator==(const request_times&, const request_times&) = default;
};

std::vector<request_times> times_of(const support::analysed& a) {
  std::vector<request_times> out;
  for (const auto& e : a.exchanges)
    out.push_back({e.id, {e.t.q0, e.t.q1, e.t.r0, e.t.r1}});
  return out;
}

/// The same numbers, counts and shares of the wall time.
void expect_same_numbers(const support::analysed& got, const support::analysed& want) {
  EXPECT_EQ(times_of(got), times_of(want));
  EXPECT_EQ(got.result.seen.timed, want.result.seen.timed);
  EXPECT_EQ(got.result.seen.share(), 1.0);
  for (std::size_t p = 0; p < profiler::timing::phase_count; ++p) {
    const auto what = static_cast<phase>(p);
    EXPECT_NEAR(got.result.wall.seconds(what), want.result.wall.seconds(what), 1e-9)
        << to_string(what);
  }
}

// tshark: READ 5.055 and WRITE 1.945 ms, or 1.000 and 6.000 ms, by a preference.
TEST(Matrix, TellsAllPhasesOfALargeReadAndWrite) {
  const auto got = analyse(scenario("srt"));

  const auto& read = only(got, 1);
  EXPECT_NEAR(static_cast<double>(read.srt().count()), 5.055e6, 1e3);
  auto p = phases(read);
  EXPECT_EQ(p[phase::network] + p[phase::server], nanos{1ms});
  EXPECT_EQ(p[phase::network], nanos{200us});
  EXPECT_NEAR(static_cast<double>(p[phase::response_transmit].count()), 4.055e6, 1e3);
  EXPECT_EQ(p[phase::request_transmit], nanos{0});

  const auto& write = only(got, 2);
  EXPECT_EQ(write.srt(), nanos{1945us});
  EXPECT_NEAR(static_cast<double>(write.latency().count()), 6.0e6, 1e3);
  p = phases(write);
  EXPECT_NEAR(static_cast<double>(p[phase::request_transmit].count()), 4.055e6, 1e3);
  EXPECT_EQ(p[phase::network] + p[phase::server], nanos{1945us});
  EXPECT_EQ(p[phase::response_transmit], nanos{0});
}

// tshark: 1.0005 s.
TEST(Matrix, TellsBothLatenciesOfACallThatWasSentAgain) {
  const auto got = analyse(scenario("retransmitted_call"));

  const auto& e = only(got, 7);
  EXPECT_EQ(e.attempts, 2u);
  EXPECT_EQ(e.latency(), nanos{1s + 500us}) << "from the first attempt";
  EXPECT_EQ(e.t.r1 - e.t.resent, nanos{500us}) << "from the last attempt";
  EXPECT_EQ(phases(e)[phase::stall], nanos{1s});
  EXPECT_EQ(got.result.seen.calls, 1u);
  EXPECT_EQ(got.result.seen.retransmitted, 1u);
}

// tshark: "Continuation" for the reply, nothing for the call.
TEST(Matrix, CountsCallsWithoutReplyAndRepliesWithoutCall) {
  const auto got = analyse(scenario("orphans"));

  EXPECT_EQ(got.result.seen.calls, 3u);
  EXPECT_EQ(got.result.seen.timed, 2u);
  EXPECT_EQ(got.result.seen.unanswered, 1u);
  EXPECT_EQ(got.result.seen.orphan_replies, 1u);
  EXPECT_FALSE(only(got, 2).replied);
}

// tshark: 45 of 50.
TEST(Matrix, TimesEveryReplyThatLacksASegmentInside) {
  const auto got = analyse(scenario("gap"));

  EXPECT_EQ(got.result.seen.calls, 50u);
  EXPECT_EQ(got.result.seen.timed, 50u);
  EXPECT_EQ(got.result.seen.payload_gaps, 5u);
  EXPECT_EQ(got.result.seen.lost_steps, 0u);
  EXPECT_EQ(times_of(got), times_of(analyse(scenario("reads"))));
}

// tshark: 144 of 160.
TEST(Matrix, LosesOnlyTheTwoRepliesAtEachBoundaryThatIsMissing) {
  const auto got = analyse(scenario("pipegap"));

  EXPECT_EQ(got.result.seen.calls, 160u);
  EXPECT_EQ(got.result.seen.timed, 156u);
  EXPECT_EQ(got.result.seen.bounded, 2u);
  EXPECT_EQ(got.result.seen.by_elimination, 2u);
  EXPECT_EQ(got.result.seen.unanswered, 0u);
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
  const auto whole = analyse(support::reads({.rounds = 20, .depth = 8}));
  for (const auto& e : got.exchanges) {
    const auto& truth = only(whole, e.id);
    EXPECT_EQ(e.t.q0, truth.t.q0);
    EXPECT_EQ(e.t.q1, truth.t.q1);
    if (!e.by_elimination) {
      EXPECT_EQ(e.t.r0, truth.t.r0) << e.id;
    }
    if (e.by_elimination) {
      EXPECT_FALSE(known(e.t.r0));
    } else if (e.r1_bounded) {
      EXPECT_GE(e.t.r1, truth.t.r1);
    } else {
      EXPECT_EQ(e.t.r1, truth.t.r1) << e.id;
    }
  }
}

// tshark: 49 of 50.
TEST(Matrix, TimesAllBehindTheReplyInWhichTheCaptureStarts) {
  const auto got = analyse(scenario("mid"));

  EXPECT_EQ(got.result.seen.calls, 49u);
  EXPECT_EQ(got.result.seen.timed, 49u);
  EXPECT_EQ(got.result.seen.orphan_replies, 1u) << "the one whose end alone was captured";
  ASSERT_EQ(got.result.connections.size(), 1u);
  EXPECT_TRUE(got.result.connections[0].mid_stream);
  EXPECT_FALSE(got.result.connections[0].tcp().handshake_seen);
}

// tshark: READ 0.500 ms instead of 0.528 ms.
TEST(Matrix, TellsTheSameTimesWhateverTheSnapLength) {
  const auto whole = analyse(scenario("reads"));
  EXPECT_EQ(whole.exchanges.at(0).srt(), nanos{528us});

  expect_same_numbers(analyse(scenario("snap256")), whole);
  expect_same_numbers(analyse(scenario("snap96")), whole);
}

// tshark: READ 0.500 ms.
TEST(Matrix, SaysThatOffloadHidesTheTransmission) {
  const auto got = analyse(scenario("tso"));

  EXPECT_EQ(got.result.seen.timed, 50u);
  EXPECT_TRUE(got.result.connections.at(0).tcp().offload_seen);
  EXPECT_EQ(got.exchanges.at(0).latency(), nanos{500us});
  EXPECT_EQ(phases(got.exchanges.at(0))[phase::response_transmit], nanos{0}) << "a lower bound";
}

// tshark: no rows.
TEST(Matrix, CountsTheRequestsOfACaptureOfOneDirection) {
  auto got = analyse(scenario("onedir_client"));
  EXPECT_EQ(got.result.seen.calls, 50u);
  EXPECT_EQ(got.result.seen.timed, 0u);
  EXPECT_EQ(got.result.seen.unanswered + got.result.seen.by_elimination, 50u);
  EXPECT_GE(got.result.network.gaps, 50u) << "replies that were acknowledged";

  got = analyse(scenario("onedir_server"));
  EXPECT_EQ(got.result.seen.calls, 0u);
  EXPECT_EQ(got.result.seen.orphan_replies, 50u);
  EXPECT_GE(got.result.network.gaps, 50u) << "calls that were acknowledged";
}

// tshark: several hundred notes of retransmissions.
TEST(Matrix, KnowsPacketsThatWereCapturedTwice) {
  const auto once = analyse(scenario("reads"));

  for (const auto* name : {"twice", "twice_routed"}) {
    const auto got = analyse(scenario(name));
    EXPECT_EQ(times_of(got), times_of(once)) << name;
    EXPECT_EQ(got.result.seen.share(), 1.0);
    EXPECT_EQ(got.result.seen.retransmitted, 0u);
    EXPECT_EQ(got.result.seen.duplicate_replies, 0u);
    const auto& tcp = got.result.connections.at(0).tcp();
    EXPECT_GE(tcp.duplicated, 350u) << "each segment with data";
    EXPECT_EQ(tcp.retransmitted, 0u);
    EXPECT_EQ(tcp.segments, 350u);
  }
}

TEST(Matrix, ReadsTaggedFrames) {
  expect_same_numbers(analyse(scenario("vlan")), analyse(scenario("reads")));
}

// tshark reads it; libpcap 1.10 gives no packet.
TEST(Matrix, ReadsAFileOfTwoLinkTypesAndSnapLengths) {
  const auto file = support::pcapng_of(scenario("two_interfaces"));

  expect_same_numbers(support::analyse_file(file), analyse(scenario("reads")));
}

// tshark: CREATE 0.0005 and 35 s in one average, CLOSE 0.0005 s, NOTIFY 60 s.
TEST(Matrix, CountsACompoundOnceAndKeepsWaitsApart) {
  const auto got = analyse(scenario("smb"));

  EXPECT_EQ(got.result.operations.round_trips(), 3u) << "compound, CHANGE_NOTIFY, CREATE";
  EXPECT_EQ(only(got, 1).part, 0u);
  EXPECT_EQ(only(got, 2).part, 1u);
  EXPECT_EQ(only(got, 1).latency(), nanos{500us});
  const auto& create = row(got, protocol::smb2, 5);
  EXPECT_EQ(create.waits, 1u);
  EXPECT_EQ(create.latency.count(), 1u);
  EXPECT_EQ(create.latency.max(), nanos{500us});
  EXPECT_TRUE(only(got, 3).long_wait);
  EXPECT_EQ(only(got, 3).latency(), nanos{60s});
  EXPECT_EQ(row(got, protocol::smb2, 15).latency.count(), 0u);
  EXPECT_EQ(got.result.wall.seconds({protocol::smb2, 15}), 0.0);
  EXPECT_NEAR(got.result.wall.seconds(phase::waiting), 35.0, 1e-3);
  EXPECT_NEAR(got.result.wall.seconds({protocol::smb2, 6}), 0.00025, 1e-9)
      << "half of the compound";
}

// tshark: 0.500 ms each, and not a word.
TEST(Matrix, ShowsTheStallsOfNagleAndDelayedAcknowledgements) {
  const auto got = analyse(scenario("nagle"));

  EXPECT_EQ(got.result.seen.timed, 20u);
  EXPECT_EQ(got.exchanges.at(0).latency(), nanos{40'700us});
  EXPECT_EQ(got.exchanges.at(0).srt(), nanos{500us});
  EXPECT_NEAR(got.result.wall.seconds(phase::stall), 0.804, 1e-6);
  EXPECT_NEAR(got.result.wall.wall_seconds(), 0.8197, 1e-6);
}

// tshark: 0.4 ms.
TEST(Matrix, FollowsACallThatIsSentAgainOnANewConnection) {
  const auto got = analyse(scenario("reconn"));

  EXPECT_EQ(got.result.seen.calls, 1u);
  EXPECT_EQ(got.result.seen.timed, 1u);
  EXPECT_EQ(got.result.seen.unanswered, 0u);
  const auto& e = only(got, 7);
  EXPECT_EQ(e.attempts, 2u);
  EXPECT_EQ(e.latency(), nanos{60s + 400us}) << "from the first attempt";
  EXPECT_EQ(e.t.r1 - e.t.resent, nanos{400us}) << "from the last attempt";
}

TEST(Matrix, FindsTheStallOfAFullReceiver) {
  const auto got = analyse(scenario("zero_window"));

  EXPECT_EQ(got.result.connections.at(0).tcp().zero_window, nanos{299'990us});
  EXPECT_NEAR(static_cast<double>(only(got, 1).request_stall.count()), 300.01e6, 1e4);
}

TEST(Matrix, KeepsConnectionsOfTheSamePortsApart) {
  const auto got = analyse(scenario("ports_used_again"));

  EXPECT_EQ(got.result.connections.size(), 3u);
  EXPECT_EQ(got.result.seen.timed, 15u);
  EXPECT_EQ(got.result.seen.retransmitted, 0u);
}

} // namespace
