#include "tests/support/synthesiser/files.hpp"
#include "tests/support/synthesiser/scenarios.hpp"
#include "tests/support/synthesiser/transforms.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <tuple>

/// Packets missing at every place of a session: what is counted must add up, and what was captured
/// whole must be timed as if nothing were missing.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::sent_exchange;
using support::traffic;
using wire::known;
using wire::nanos;
using wire::u64;

using lost_packets = std::function<bool(std::size_t)>;

/// How many requests of many damaged captures came out how.
struct tally {
  u64 captures = 0;
  u64 requests = 0;  ///< that were sent, in all captures
  u64 untouched = 0; ///< of these: every packet of call and reply was captured
  u64 exact = 0;     ///< of the untouched: timed as if nothing were missing
  u64 timed = 0;
  u64 bounded = 0;
  u64 eliminated = 0;
  u64 false_calls = 0; ///< that nobody made
};

class session_truth {
 public:
  explicit session_truth(traffic t) : all(std::move(t)), messages_(messages_of(all)) {
    exchanges = exchanges_of(messages_);
  }
  session_truth(const session_truth&) = delete;
  session_truth& operator=(const session_truth&) = delete;

  traffic all;
  std::vector<sent_exchange> exchanges;

 private:
  std::vector<support::sent_message> messages_;
};

bool touched(const support::sent_message& m, const lost_packets& lost) {
  return std::any_of(m.in.begin(), m.in.end(), lost);
}

void expect_counts_add_up(const support::analysed& got) {
  const auto& seen = got.result.seen;
  EXPECT_EQ(seen.calls, seen.answered + seen.unanswered + seen.still_waiting);
  EXPECT_LE(seen.timed + seen.bounded + seen.by_elimination, seen.answered);
  EXPECT_EQ(seen.calls, got.exchanges.size());
  EXPECT_NEAR(got.result.wall.residual_seconds(), 0, 1e-9);
  u64 replied = 0;
  for (const auto& e : got.exchanges) {
    replied += e.replied ? 1 : 0;
    EXPECT_LE(e.t.q0, e.t.q1);
    if (e.replied) {
      EXPECT_GE(e.t.r1, e.t.q1) << e.id;
      EXPECT_TRUE(e.by_elimination || e.t.r0 <= e.t.r1) << e.id;
    }
  }
  EXPECT_EQ(replied, seen.answered);
}

using exchange_key = std::tuple<wire::u16, wire::u16, bool, u64>;

exchange_key key_of(const support::sent_message& m) {
  return {m.client.port, m.server.port, false, m.id};
}

/// Analyses what is left, compares it with the truth, and adds it up.
void check(const session_truth& truth, const support::transform& damage, const lost_packets& lost,
           tally& sum, const char* what, std::size_t where) {
  SCOPED_TRACE(std::string(what) + " at packet " + std::to_string(where));
  const auto got = analyse(truth.all | damage);
  expect_counts_add_up(got);
  std::map<exchange_key, const wire::exchange*> found;
  for (const auto& e : got.exchanges) {
    const auto& key = got.result.connections.at(e.connection).key;
    EXPECT_TRUE(
        found.emplace(exchange_key{key.client.port, key.server.port, false, e.id}, &e).second)
        << "twice: " << e.id;
  }
  ++sum.captures;
  sum.requests += truth.exchanges.size();
  sum.timed += got.result.seen.timed;
  sum.bounded += got.result.seen.bounded;
  sum.eliminated += got.result.seen.by_elimination;
  sum.false_calls += found.size();
  for (const auto& sent : truth.exchanges) {
    const auto it = found.find(key_of(*sent.call));
    const auto* e = it == found.end() ? nullptr : it->second;
    if (e != nullptr) --sum.false_calls;
    if (sent.reply == nullptr || touched(*sent.call, lost) || touched(*sent.reply, lost)) continue;
    ++sum.untouched;
    const bool exact = e != nullptr && e->replied && !e->by_elimination && !e->bounded() &&
                       e->t.q0 == sent.call->first && e->t.q1 == sent.call->last &&
                       e->t.r0 == sent.reply->first && e->t.r1 == sent.reply->last &&
                       e->attempts == 1;
    EXPECT_TRUE(exact) << sent.call->server.port << " id " << sent.call->id
                       << (e ? "" : " missing");
    if (exact) ++sum.exact;
  }
}

void print(const char* what, const tally& t) {
  const auto share = [](u64 part, u64 all) {
    return all == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  std::printf(
      "%-34s %5llu captures, %7llu requests: timed %.2f %%, bounded %.2f %%, by elimination "
      "%.2f %%; of those captured whole %.3f %% exact; %llu false calls\n",
      what, static_cast<unsigned long long>(t.captures),
      static_cast<unsigned long long>(t.requests), share(t.timed, t.requests),
      share(t.bounded, t.requests), share(t.eliminated, t.requests), share(t.exact, t.untouched),
      static_cast<unsigned long long>(t.false_calls));
}

/// Each packet missing, then each run of several, then each start in the middle. `stride`: only
/// each so many-th place, where a session is long.
void check_every_place(const char* name, traffic all, std::size_t stride = 1) {
  const session_truth truth(std::move(all));
  const auto n = truth.all.packets.size();
  for (const std::size_t run : {1u, 2u, 3u, 7u, 40u}) {
    tally sum;
    const std::size_t step = stride * std::max<std::size_t>(1, run / 4);
    for (std::size_t at = 0; at < n; at += step)
      check(
          truth, support::drop_range(at, at + run),
          [=](std::size_t i) { return i >= at && i < at + run; }, sum, "hole", at);
    print((std::string(name) + ", runs of " + std::to_string(run)).c_str(), sum);
    EXPECT_EQ(sum.false_calls, 0u);
  }
  tally sum;
  for (std::size_t at = 1; at < n; at += stride)
    check(
        truth, support::start_at(at), [=](std::size_t i) { return i < at; }, sum, "start", at);
  print((std::string(name) + ", starts").c_str(), sum);
  EXPECT_EQ(sum.false_calls, 0u);
}

TEST(Loss, OfNfsAtEveryPlace) {
  check_every_place("NFS", support::nfs_session(1));
}

TEST(Loss, OfNfsWhoseRepliesShareSegments) {
  check_every_place("READs in rounds of 8", support::reads({.rounds = 4, .depth = 8}), 2);
}

TEST(Loss, OfSmb2AtEveryPlace) {
  check_every_place("SMB2", support::smb2_session(2));
}

TEST(Loss, OfUdpAtEveryPlace) {
  check_every_place("UDP", support::udp_session(3, 20));
}

TEST(Loss, OfFragmentedRecords) {
  check_every_place("record fragments",
                    support::nfs_session(4) | support::fragment_records(4) | support::segment(1448),
                    2);
}

// Seen, lost on the way, and sent again: the first copy counts.
TEST(Loss, BehindTheCapturePointChangesNothing) {
  for (const auto& all : {support::nfs_session(6), support::smb2_session(6)}) {
    const session_truth truth(all);
    tally sum;
    for (std::size_t at = 0; at < all.packets.size(); ++at) {
      if (all.packets[at].payload.empty()) continue;
      check(
          truth, support::retransmit(at, 150us), [](std::size_t) { return false; }, sum,
          "retransmission", at);
    }
    EXPECT_EQ(sum.exact, sum.requests);
  }
}

TEST(Loss, OfSegmentsOfAnySize) {
  check_every_place("tiny segments", support::nfs_session(5, 3) | support::split_randomly(5, 150),
                    3);
}

// The data of its WRITEs and READs is full of calls and replies.
TEST(Loss, OfACaptureThatIsCopiedOverNfs) {
  check_every_place("copied capture", support::copied_capture(), 5);
}

} // namespace
