#include "profiler/report/provenance.hpp"
#include "tests/support/small_files.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using profiler::report::captured_at;
using profiler::report::confidence;
using profiler::report::figure;
using profiler::report::provenance_of;
using profiler::timing::capture_point;
using profiler::timing::capture_point_of;

figure figure_of(const profiler::result& r, std::string_view name) {
  const auto all = provenance_of(r);
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const figure& f) { return f.name == name; });
  return at == all.end() ? figure{} : *at;
}

TEST(CapturePoint, FollowsTheRoundTripsToEitherSide) {
  profiler::net::tcp_facts tcp;
  tcp.rtt_from = profiler::net::rtt_source::handshake;
  for (const auto& [client, server, where] : {std::tuple{5us, 500us, capture_point::client},
                                              std::tuple{500us, 5us, capture_point::server},
                                              std::tuple{200us, 300us, capture_point::between}}) {
    tcp.client_side_rtt = client;
    tcp.server_side_rtt = server;
    EXPECT_EQ(capture_point_of(tcp), where);
  }
}

TEST(CapturePoint, FollowsTheTimesToLiveWithoutRoundTrips) {
  profiler::net::tcp_facts tcp;
  const auto of = [&](int client, int server) {
    tcp.ttl_client = static_cast<wire::u8>(client);
    tcp.ttl_server = static_cast<wire::u8>(server);
    return capture_point_of(tcp);
  };
  EXPECT_EQ(of(64, 61), capture_point::client);
  EXPECT_EQ(of(60, 128), capture_point::server);
  EXPECT_EQ(of(60, 125), capture_point::between);
  EXPECT_EQ(of(64, 64), capture_point::unknown);
  EXPECT_EQ(of(64, 0), capture_point::unknown);
}

TEST(Provenance, IsHighForAWholeCapture) {
  const auto r = support::analyse(support::small_files(20)).result;

  for (const auto& f : provenance_of(r)) {
    EXPECT_EQ(f.sure, f.name == "think" && captured_at(r).where != capture_point::client
                          ? confidence::medium
                          : confidence::high)
        << f.name;
    EXPECT_GT(f.n, 0u) << f.name;
    EXPECT_FALSE(f.definition.empty());
    EXPECT_EQ(f.sure == confidence::high, f.reasons.empty()) << f.name;
  }
  EXPECT_EQ(figure_of(r, "latency").n, 100u);
  EXPECT_EQ(figure_of(r, "latency").of, 100u);
}

TEST(Provenance, FallsWithCoverageAndSaysWhy) {
  auto r = support::analyse(support::small_files(20)).result;
  r.seen.orphan_replies = 5; // 100 of 105
  EXPECT_EQ(figure_of(r, "latency").sure, confidence::medium);
  r.seen.orphan_replies = 50; // 100 of 150
  const auto latency = figure_of(r, "latency");
  EXPECT_EQ(latency.sure, confidence::low);
  EXPECT_EQ(latency.reasons.at(0), "66.7 % of them");
}

TEST(Provenance, FallsWithDropsAndOffload) {
  auto r = support::analyse(support::small_files(20)).result;
  r.connections[0].facts.offload_seen = true;
  EXPECT_EQ(figure_of(r, "response_transmit").sure, confidence::medium);
  EXPECT_EQ(figure_of(r, "latency").sure, confidence::high);
  r.capture.dropped = 3;
  EXPECT_EQ(figure_of(r, "latency").sure, confidence::medium);
}

TEST(Provenance, IsNoneWithoutARoundTrip) {
  // Joined in the middle: no handshake, and no acknowledgement that cannot have been delayed.
  auto frames = support::small_files(3, 100);
  frames.erase(frames.begin(), frames.begin() + 3);
  const auto r = support::analyse(frames).result;

  EXPECT_EQ(figure_of(r, "network").sure, confidence::none);
  EXPECT_EQ(figure_of(r, "server").sure, confidence::none);
  EXPECT_FALSE(figure_of(r, "server").reasons.empty());
}

} // namespace
