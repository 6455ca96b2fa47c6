#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"

#include <gtest/gtest.h>
#include <random>

/// The answer must not depend on how the same traffic was cut, tagged, stored or captured.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::pattern;
using support::tcp_talk;
using support::timed_frame;
using support::v4;
using support::v6;

/// A random session: mixed sizes, pipelined, with failures.
tcp_talk session(unsigned seed, const tcp_talk::settings& s, bool ipv6 = false) {
  std::mt19937 random(seed);
  tcp_talk talk(ipv6 ? v6(1, 741) : v4(198, 18, 1, 1, 741),
                ipv6 ? v6(2, 2049) : v4(198, 18, 1, 2, 2049), s);
  talk.handshake();
  wire::u32 xid = 1;
  for (int round = 0; round < 12; ++round) {
    std::vector<support::record> replies;
    const auto depth = 1 + random() % 4;
    for (unsigned i = 0; i < depth; ++i, ++xid) {
      const auto file = 10 + static_cast<wire::u32>(random() % 3);
      const auto size = static_cast<wire::u32>(random() % 9000);
      switch (random() % 5) {
      case 0:
        talk.to_server(support::write_call(xid, file, 0, pattern(size)));
        replies.push_back(support::write_reply(xid, size));
        break;
      case 1:
        talk.to_server(support::read_call(xid, file, 0, size));
        replies.push_back(support::read_reply(xid, pattern(size)));
        break;
      case 2:
        talk.to_server(support::lookup_call(xid, 2, "name" + std::to_string(file)));
        replies.push_back(support::lookup_reply(xid, file));
        break;
      case 3:
        talk.to_server(support::lookup_call(xid, 2, "none"));
        replies.push_back(support::lookup_missing(xid));
        break;
      default:
        talk.to_server(support::getattr_call(xid, file));
        replies.push_back(support::getattr_reply(xid));
      }
      talk.wait(10us);
    }
    talk.wait(400us);
    for (const auto& reply : replies)
      talk.to_client(reply).wait(20us);
    talk.ack_by_client().wait(200us);
  }
  talk.close();
  return talk;
}

void expect_same(const support::analysed& got, const support::analysed& expected) {
  ASSERT_EQ(got.exchanges.size(), expected.exchanges.size());
  for (std::size_t i = 0; i < got.exchanges.size(); ++i) {
    const auto& a = got.exchanges[i];
    const auto& b = expected.exchanges[i];
    ASSERT_EQ(a.id, b.id) << i;
    EXPECT_EQ(a.operation, b.operation) << i;
    EXPECT_EQ(a.status, b.status) << i;
    EXPECT_EQ(a.file, b.file) << i;
    EXPECT_EQ(a.data_bytes, b.data_bytes) << i;
    EXPECT_EQ(a.request_bytes, b.request_bytes) << i;
    EXPECT_EQ(a.reply_bytes, b.reply_bytes) << i;
    EXPECT_EQ(a.t.q0, b.t.q0) << i;
    EXPECT_EQ(a.t.q1, b.t.q1) << i;
    EXPECT_EQ(a.t.r0, b.t.r0) << i;
    EXPECT_EQ(a.t.r1, b.t.r1) << i;
  }
  EXPECT_EQ(got.result.seen.timed, expected.result.seen.timed);
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
  EXPECT_NEAR(got.result.wall.wall_seconds(), expected.result.wall.wall_seconds(), 1e-12);
}

class Invariance : public testing::TestWithParam<unsigned> {
 protected:
  support::analysed reference() { return analyse(session(GetParam(), {}).frames); }
};

TEST_P(Invariance, Segmentation) {
  for (const auto mss : std::to_array<wire::u16>({97, 536, 1460, 8960, 65000}))
    expect_same(analyse(session(GetParam(), {.mss = mss}).frames), reference());
}

TEST_P(Invariance, Ipv6) {
  expect_same(analyse(session(GetParam(), {}, true).frames), reference());
}

TEST_P(Invariance, SnapLength) {
  // 14 Ethernet, 20 IP, 20 TCP; header, handle and name of a call end before byte 256.
  for (const std::size_t snap : {256, 512, 1000})
    expect_same(analyse(support::cut_to(session(GetParam(), {}).frames, snap)), reference());
}

TEST_P(Invariance, FramesCapturedTwice) {
  std::vector<timed_frame> twice;
  for (const auto& f : session(GetParam(), {}).frames)
    twice.insert(twice.end(), 2, f);

  expect_same(analyse(twice), reference());
}

TEST_P(Invariance, VlanTags) {
  auto frames = session(GetParam(), {}).frames;
  for (auto& f : frames) {
    const std::array<std::byte, 4> tag{std::byte{0x81}, std::byte{0x00}, std::byte{0x00},
                                       std::byte{0x64}};
    f.data.insert(f.data.begin() + 12, tag.begin(), tag.end());
  }

  expect_same(analyse(frames), reference());
}

TEST_P(Invariance, FileFormat) {
  const auto frames = session(GetParam(), {}).frames;
  const auto read = [](wire::bytes file) {
    const support::temporary_file stored(file);
    support::exchange_log log;
    profiler::analyzer analyzer;
    analyzer.add_sink(log);
    EXPECT_TRUE(analyzer.file(stored.path()));
    auto result = analyzer.finish();
    return support::analysed{std::move(result), std::move(log.all)};
  };

  expect_same(read(support::pcap_builder().add(frames).file()), reference());
  expect_same(
      read(support::pcap_builder({.big_endian = true, .nanoseconds = true}).add(frames).file()),
      reference());
  support::pcapng_builder ng;
  ng.section().interface({}).add(frames);
  expect_same(read(ng.file()), reference());
}

INSTANTIATE_TEST_SUITE_P(Sessions, Invariance, testing::Range(1u, 9u));

TEST(Timing, DoesNotChangeWithASnapLengthThatHidesEverythingButTheXid) {
  // 54 bytes of headers, 4 of record mark, 24 of call header.
  const auto whole = analyse(session(3, {}).frames);
  const auto cut = analyse(support::cut_to(session(3, {}).frames, 96));

  ASSERT_EQ(cut.exchanges.size(), whole.exchanges.size());
  for (std::size_t i = 0; i < cut.exchanges.size(); ++i) {
    EXPECT_EQ(cut.exchanges[i].id, whole.exchanges[i].id);
    EXPECT_EQ(cut.exchanges[i].operation, whole.exchanges[i].operation);
    EXPECT_EQ(cut.exchanges[i].t.q1, whole.exchanges[i].t.q1);
    EXPECT_EQ(cut.exchanges[i].t.r1, whole.exchanges[i].t.r1);
  }
}

} // namespace
