#include "profiler/report/json.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/tunnels.hpp"

#include <algorithm>
#include <gtest/gtest.h>

/// Requests in captures that hold packets twice, and in tunnels.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::pattern;
using support::timed_frame;
using support::v4;
using wire::u16;
using wire::u32;

const auto client = v4(198, 18, 1, 1, 741);
const auto server = v4(198, 18, 1, 2, 2049);

/// A message without its record mark.
wire::bytes datagram(const support::record& r) {
  return wire::bytes(r).subspan(4);
}

/// GETATTRs over UDP, of which every fifth is sent again after 1.1 s.
std::vector<timed_frame> over_udp() {
  std::vector<timed_frame> out;
  auto now = std::chrono::nanoseconds(1000s);
  u16 id = 0;
  const auto send = [&](const auto& from, const auto& to, const support::record& r) {
    out.push_back({now, support::ethernet(support::udp(from, to, datagram(r), {.id = ++id})), 0});
  };
  for (u32 xid = 1; xid <= 20; ++xid, now += 1ms) {
    send(client, server, support::getattr_call(xid, 3));
    if (xid % 5 == 0) {
      now += 1100ms;
      send(client, server, support::getattr_call(xid, 3));
    }
    now += 400us;
    send(server, client, support::getattr_reply(xid));
  }
  return out;
}

TEST(DuplicatedFrames, AreNoRetransmittedCallsOverUdp) {
  auto twice = over_udp();
  for (const auto& f : over_udp())
    twice.push_back({f.at + 300us, f.data, 0});
  std::stable_sort(twice.begin(), twice.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });

  const auto once = analyse(over_udp());
  const auto got = analyse(twice);

  EXPECT_EQ(once.result.seen.retransmitted, 4u);
  EXPECT_EQ(got.result.seen.retransmitted, 4u);
  EXPECT_EQ(got.result.seen.duplicate_replies, 0u);
  EXPECT_EQ(got.result.seen.timed, 20u);
  EXPECT_EQ(got.result.network.duplicated_frames, 44u);
  ASSERT_EQ(got.exchanges.size(), once.exchanges.size());
  for (std::size_t i = 0; i < got.exchanges.size(); ++i) {
    EXPECT_EQ(got.exchanges[i].t.q0, once.exchanges[i].t.q0);
    EXPECT_EQ(got.exchanges[i].t.r1, once.exchanges[i].t.r1);
    EXPECT_EQ(got.exchanges[i].attempts, once.exchanges[i].attempts);
  }
}

std::vector<timed_frame> over_tcp() {
  support::tcp_talk talk(client, server);
  talk.handshake();
  for (u32 i = 0; i < 10; ++i)
    talk.to_server(support::write_call(1 + i, 3, 0, pattern(5000)))
        .wait(400us)
        .to_client(support::write_reply(1 + i, 5000))
        .wait(100us);
  talk.close();
  return talk.frames;
}

TEST(Tunnels, ChangeNoTimeOfARequestAndAreTold) {
  auto frames = over_tcp();
  for (auto& f : frames)
    f.data =
        support::ethernet(support::tunnel::over_udp(4789, support::tunnel::vxlan(f.data)), {7});
  const auto plain = analyse(over_tcp());
  const auto got = analyse(frames);

  ASSERT_EQ(got.exchanges.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(got.exchanges[i].t.q0, plain.exchanges[i].t.q0);
    EXPECT_EQ(got.exchanges[i].t.r1, plain.exchanges[i].t.r1);
  }
  const auto document = profiler::report::analysis_document(got.result);
  EXPECT_EQ(document["connections"][0]["encapsulation"], "VXLAN 42 in VLAN 7");
  EXPECT_EQ(document["connections"][0]["encapsulation_varies"], false);
  EXPECT_EQ(document["capture"]["encapsulations"][1]["name"], "VXLAN");
  EXPECT_EQ(document["capture"]["encapsulations"][1]["frames"], frames.size());
  EXPECT_EQ(document["capture"]["network"]["tcp_segments"], frames.size() - 1);
  EXPECT_EQ(document["capture"]["network"]["connections_evicted"], 0u);
}

} // namespace
