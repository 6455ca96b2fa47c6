#include "tests/support/tunnels.hpp"

#include "tcp_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace tcp_script;
using profiler::net::counters;
using recorded::play;
using recorded::recorder;
using support::byte_vector;
using testing::SizeIs;
using wire::bytes;
using wire::u64;
namespace tunnel = support::tunnel;

/// Everything that a consumer can learn of a capture.
std::vector<std::string> told(const std::vector<timed_frame>& frames, counters* counts = nullptr) {
  recorder to;
  const auto c = play(frames, to);
  if (counts != nullptr) *counts = c;
  std::vector<std::string> out;
  for (const auto& x : to.connections) {
    out.insert(out.end(), x->events.begin(), x->events.end());
    for (const auto& s : x->streams) {
      out.emplace_back(wire::as_text(s.data));
      for (const auto& at : s.chunk_times)
        out.push_back(std::to_string(at.time.count()));
    }
    const auto& f = x->facts;
    for (const auto n :
         {f.segments, f.retransmitted, f.out_of_order, f.late_fills, f.keep_alives, f.gap_bytes,
          static_cast<u64>(f.rtt_min.count()), static_cast<u64>(f.rtt_p50.count()),
          static_cast<u64>(f.rtt_from), static_cast<u64>(f.zero_window.count()),
          static_cast<u64>(f.mtu), static_cast<u64>(f.kib_time[0].count()),
          static_cast<u64>(f.server_side_rtt.count())})
      out.push_back(std::to_string(n));
  }
  for (const auto& m : to.datagrams)
    out.push_back(std::string(wire::as_text(m.data)) + std::to_string(m.first.time.count()) + "-" +
                  std::to_string(m.last.time.count()));
  for (const auto n : {c.tcp_segments, c.udp_datagrams, c.fragmented_datagrams, c.connections,
                       c.segments_after_end, c.incomplete_datagrams, c.gaps})
    out.push_back(std::to_string(n));
  return out;
}

/// A connection with everything in it that copies could spoil.
std::vector<timed_frame> connection(support::endpoint from, support::endpoint to, bool timestamps) {
  support::tcp_talk talk(from, to, {.gap_between = nanos{12'000}, .timestamps = timestamps});
  talk.handshake(nanos{250'000}, nanos{3'000});
  for (u32 i = 0; i < 12; ++i) {
    talk.to_server(pattern(150 + i * 900, i)).wait(nanos{200'000}).ack_by_server();
    talk.wait(nanos{200'000}).to_client(pattern(90 + i * 2000, i)).wait(nanos{100'000});
    if (i % 3 == 0) talk.ack_by_client();
    talk.wait(milliseconds(i));
  }
  talk.close();
  return talk.frames;
}

std::vector<timed_frame> traffic(bool six) {
  const auto from = six ? support::v6(1, 741) : client;
  const auto to = six ? support::v6(2, 2049) : server;
  auto out = connection(from, to, six);
  const auto end = out.back().at;
  for (int i = 0; i < 4; ++i)
    out.push_back({end + milliseconds(i),
                   support::ethernet(support::udp(from, to, pattern(90, static_cast<u64>(i)),
                                                  {.id = static_cast<u16>(i + 1)})),
                   0});
  return out;
}

struct copy {
  nanos delay;
  byte_vector (*change)(const byte_vector& frame);
};

byte_vector same(const byte_vector& f) {
  return f;
}

/// As the other side of a router shows it: other link addresses, a TTL less, its checksum.
byte_vector routed(const byte_vector& f) {
  auto out = f;
  out[5] = std::byte{0x77};
  const bool six = out[12] == std::byte{0x86};
  auto& ttl = out[six ? 21 : 22];
  ttl = static_cast<std::byte>(std::to_integer<int>(ttl) - 1);
  if (!six) out[24] ^= std::byte{1};
  return out;
}

byte_vector tagged(const byte_vector& f) {
  auto out = f;
  const std::array<std::byte, 4> tag{std::byte{0x81}, {}, {}, std::byte{7}};
  out.insert(out.begin() + 12, tag.begin(), tag.end());
  return out;
}

byte_vector in_vxlan(const byte_vector& f) {
  return support::ethernet(tunnel::over_udp(4789, tunnel::vxlan(f)));
}

class Duplicates : public testing::TestWithParam<bool> {};

TEST_P(Duplicates, OfEveryFrameChangeNothing) {
  const auto once = traffic(GetParam());
  const auto want = told(once);
  for (const auto delay : {0, 900, 40'000, 900'000}) {
    for (const auto change : {same, routed, tagged, in_vxlan}) {
      std::vector<timed_frame> twice;
      for (const auto& f : once) {
        twice.push_back(f);
        twice.push_back({f.at + nanos{delay}, change(f.data), 0});
      }
      std::stable_sort(twice.begin(), twice.end(),
                       [](const auto& a, const auto& b) { return a.at < b.at; });
      counters counts;
      EXPECT_EQ(told(twice, &counts), want) << delay;
      EXPECT_EQ(counts.duplicated_frames, once.size());
    }
  }
}

TEST_P(Duplicates, ThatComeInAnotherOrderChangeNothing) {
  const auto once = traffic(GetParam());
  const auto want = told(once);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<timed_frame> both = once;
    for (const auto& f : once)
      if (random() % 2 == 0)
        for (u32 n = 1 + random() % 2; n > 0; --n)
          both.push_back({f.at + nanos{random() % 900'000}, f.data, 0});
    std::stable_sort(both.begin(), both.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    EXPECT_EQ(told(both), want) << round;
  }
}

TEST_P(Duplicates, OfFragmentsChangeNothing) {
  const auto datagram = support::udp(client, server, pattern(4000), {.id = 77});
  const bytes payload = bytes(datagram).subspan(20);
  std::vector<timed_frame> once;
  std::vector<timed_frame> twice;
  for (u32 at = 0; at < payload.size(); at += 1480) {
    const auto n = std::min<std::size_t>(1480, payload.size() - at);
    const auto more = at + n < payload.size() ? 0x2000u : 0u;
    const auto frame =
        support::ethernet(support::ip(client, server, 17, payload.subspan(at, n),
                                      {.id = 77, .fragment = static_cast<u16>(more | at / 8)}));
    const auto when = milliseconds(1) + nanos{at};
    once.push_back({when, frame, 0});
    twice.push_back({when, frame, 0});
    twice.push_back({when + nanos{5'000'000}, frame, 0}); // out of order, behind the whole
  }
  counters counts;
  EXPECT_EQ(told(twice, &counts), told(once));
  EXPECT_EQ(counts.duplicated_frames, 3u);
  EXPECT_EQ(counts.fragmented_datagrams, 1u);
}

INSTANTIATE_TEST_SUITE_P(OfIp, Duplicates, testing::Bool(),
                         [](const auto& p) { return p.param ? "v6" : "v4"; });

TEST(DuplicateRule, TakesAnotherIdentificationForARetransmission) {
  auto x = joined();
  x.c(1100, 5050, 100);
  x.now -= milliseconds(1);
  x.c(1100, 5050, 100); // at once, but sent again
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_EQ(counts.duplicated_frames, 0u);
  EXPECT_EQ(to.connections.at(0)->facts.retransmitted, 1u);
}

timed_frame segment(nanos at, const support::endpoint& from, const support::endpoint& to,
                    support::tcp_fields f, std::size_t n) {
  f.seq = 1000;
  f.ack = 5000;
  return {at, support::ethernet(support::tcp(from, to, f, pattern(n))), 0};
}

TEST(DuplicateRule, BelievesCopiesOfNamelessPacketsForAMillisecondOnly) {
  const auto count = [](nanos after, support::tcp_fields f) {
    recorder to;
    const auto a = support::v6(1, 741);
    const auto b = support::v6(2, 2049);
    return play({segment(milliseconds(5), a, b, f, 50),
                 segment(milliseconds(5) + after, a, b, f, 50)},
                to)
        .duplicated_frames;
  };
  const support::tcp_fields stamped{.timestamps = {{7, 8}}};
  EXPECT_EQ(count(nanos{900'000}, {}), 1u);
  EXPECT_EQ(count(nanos{1'100'000}, {}), 0u);
  EXPECT_EQ(count(nanos{9'000'000}, stamped), 1u);
  EXPECT_EQ(count(nanos{11'000'000}, stamped), 0u);
}

TEST(DuplicateRule, KnowsOneThatAHostLeftWithoutItsChecksum) {
  // Three interfaces in one file: only on the last one the card has put the checksum in.
  auto first = segment(milliseconds(1), client, server, {.ip = {.id = 9}}, 50);
  auto second = first;
  first.data[14 + 20 + 16] = first.data[14 + 20 + 17] = std::byte{0x33};
  recorder to;

  const auto counts = play({first, second}, to);

  EXPECT_EQ(counts.duplicated_frames, 1u);
  EXPECT_EQ(to.connections.at(0)->facts.duplicated, 1u);
}

TEST(DuplicateRule, TellsAFinFromTheAcknowledgementBeforeItWithoutChecksums) {
  // As a loopback interface shows them: no identification, and a checksum over the addresses alone.
  namespace tcp_flag = profiler::net::tcp_flag;
  const auto bare = [](nanos at, wire::u8 flags) {
    auto out = segment(at, client, server, {.flags = flags, .ip = {.id = 0}}, 0);
    out.data[14 + 20 + 16] = std::byte{0xfe};
    out.data[14 + 20 + 17] = std::byte{0x28};
    return out;
  };
  recorder to;

  const auto counts = play(
      {bare(nanos{1'000}, tcp_flag::ack), bare(nanos{50'000}, tcp_flag::ack | tcp_flag::fin)}, to);

  EXPECT_EQ(counts.duplicated_frames, 0u);
}

TEST(DuplicateRule, TellsFlowsApartThatDifferInOneAddressOnly) {
  recorder to;
  std::vector<timed_frame> frames;
  for (wire::u8 i = 1; i < 200; ++i)
    frames.push_back(segment(nanos{i}, support::v4(10, 0, 0, i, 741), server, {}, 50));

  const auto counts = play(frames, to);

  EXPECT_EQ(counts.duplicated_frames, 0u);
  EXPECT_THAT(to.connections, SizeIs(199));
}

TEST(DuplicateRule, LeavesKeepAlivesAndProbesAlone) {
  script x = joined();
  for (int i = 0; i < 3; ++i) {
    x.ip_id = 0xffff; // the next is 0: it has no name
    x.wait(milliseconds(200)).c(1099, 5050, 0);
  }
  recorder to;

  const auto counts = play(x.frames, to);

  EXPECT_EQ(counts.duplicated_frames, 0u);
  EXPECT_EQ(to.connections.at(0)->facts.keep_alives, 3u);
}

TEST(DuplicateRule, RemembersAsManyAsAFastLineBringsInAMillisecond) {
  // 1,000 packets between a packet and its copy.
  std::vector<timed_frame> frames;
  const auto add = [&](u32 i) {
    frames.push_back(
        {nanos{frames.size() * 1'000ull},
         support::ethernet(support::tcp(
             client, server, {.seq = 1000 + i * 10, .ip = {.id = static_cast<u16>(i + 1)}},
             pattern(10))),
         0});
  };
  for (u32 block = 0; block < 10; ++block)
    for (int copy = 0; copy < 2; ++copy)
      for (u32 i = 0; i < 1000; ++i)
        add(block * 1000 + i);
  recorder to;

  const auto counts = play(frames, to);

  EXPECT_EQ(counts.duplicated_frames, 10'000u);
  EXPECT_EQ(to.connections.at(0)->facts.retransmitted, 0u);
}

} // namespace
