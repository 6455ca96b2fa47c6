#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using profiler::analyzer;
using support::analyse;
using support::pcap_builder;
using support::tcp_talk;
using support::temporary_file;
using support::v4;
using testing::HasSubstr;

const auto client = v4(198, 18, 1, 1, 741);
const auto server = v4(198, 18, 1, 2, 2049);

/// 20 GETATTRs, one each millisecond.
tcp_talk some_requests(wire::u32 first_xid = 1) {
  tcp_talk talk(client, server);
  talk.handshake();
  for (wire::u32 xid = first_xid; xid < first_xid + 20; ++xid)
    talk.wait(600us)
        .to_server(support::getattr_call(xid, 3))
        .wait(400us)
        .to_client(support::getattr_reply(xid));
  return talk;
}

TEST(Analyzer, ReadsACaptureFile) {
  const temporary_file file(pcap_builder().add(some_requests().frames).file());

  analyzer a;
  ASSERT_TRUE(a.file(file.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.operations.count(), 20u);
  EXPECT_EQ(r.capture.files, std::vector{file.path()});
  EXPECT_EQ(r.capture.packets, 43u);
  EXPECT_TRUE(r.warnings.empty());
  EXPECT_NEAR(r.wall.wall_seconds(), 20e-3 - 600e-6, 1e-9);
}

TEST(Analyzer, TakesFilesThatFollowEachOtherForOneCapture) {
  const auto frames = some_requests().frames;
  const auto middle = frames.begin() + 20; // between a call and its reply
  const temporary_file first(pcap_builder().add({frames.begin(), middle}).file());
  const temporary_file second(pcap_builder().add({middle, frames.end()}).file());

  analyzer a;
  ASSERT_TRUE(a.file(first.path()));
  ASSERT_TRUE(a.file(second.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.seen.timed, 20u);
  EXPECT_EQ(r.connections.size(), 1u);
  EXPECT_NEAR(r.wall.wall_seconds(), 20e-3 - 600e-6, 1e-9);
}

/// Takes one direction, and knows nothing but Ethernet.
class from_client final : public profiler::capture::packet_filter {
 public:
  std::expected<bool, std::string> wants(const profiler::packet& p) override {
    if (p.link_type != 1) return std::unexpected("not for link type 113.");
    return p.data.size() > 29 && p.data[29] == std::byte{1}; // 198.18.1.1
  }
};

TEST(Analyzer, CountsWhatAFilterLeavesOut) {
  const temporary_file file(pcap_builder().add(some_requests().frames).file());

  analyzer a({.filter = std::make_shared<from_client>()});
  ASSERT_TRUE(a.file(file.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.capture.packets, 43u);
  EXPECT_EQ(r.capture.filtered_out, 21u);
  EXPECT_EQ(r.network.frames, 22u);
  EXPECT_EQ(r.seen.timed, 0u);
  EXPECT_EQ(r.seen.calls, 20u);
}

TEST(Analyzer, LeavesOutWhatAFilterCannotBeUsedFor) {
  const auto frames = some_requests().frames;
  support::pcapng_builder b;
  b.section().interface({.link_type = 1}).interface({.link_type = 113});
  b.add(frames).add(frames.back().at, frames.back().data, 1);
  const temporary_file mixed(b.file());
  const temporary_file only(pcap_builder({.link_type = 113}).add(frames).file());

  analyzer a({.filter = std::make_shared<from_client>()});
  ASSERT_TRUE(a.file(mixed.path()));
  const auto refused = a.file(only.path());
  const auto r = a.finish();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), only.path() + ": not for link type 113.");
  EXPECT_EQ(r.capture.packets, 44u);
  EXPECT_EQ(r.capture.filtered_out, 22u);
  EXPECT_THAT(r.warnings, testing::ElementsAre(HasSubstr("They were left out.")));
}

TEST(Analyzer, AddsUpWhatCapturesSayBesideTheirPackets) {
  const auto frames = some_requests().frames;
  const auto of = [&](wire::u32 dropped) {
    support::pcapng_builder b;
    b.section().interface({.name = "eth0"}).add(frames);
    b.add(frames.back().at, frames.back().data, 0, "a comment");
    return b.block(9, frames[0].data).statistics(0, 100, dropped, 1).file();
  };
  const temporary_file first(of(2));
  const temporary_file second(of(3));

  analyzer a;
  ASSERT_TRUE(a.file(first.path()));
  ASSERT_TRUE(a.file(second.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.capture.dropped, 7u);
  const auto& d = r.capture.details;
  ASSERT_EQ(d.interfaces.size(), 2u);
  EXPECT_EQ(d.interfaces[1].dropped_by_interface, 3u);
  EXPECT_EQ(d.comments, 2u);
  EXPECT_EQ(d.comment_texts.size(), 2u);
  ASSERT_EQ(d.skipped.size(), 1u);
  EXPECT_EQ(d.skipped[0].count, 2u);
}

TEST(Analyzer, AddsUpFilesThatOverlap) {
  const temporary_file file(pcap_builder().add(some_requests().frames).file());

  analyzer a;
  ASSERT_TRUE(a.file(file.path()));
  ASSERT_TRUE(a.file(file.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.seen.timed, 40u);
  EXPECT_EQ(r.connections.size(), 2u);
  EXPECT_NEAR(r.wall.wall_seconds(), 2 * (20e-3 - 600e-6), 1e-9);
  EXPECT_EQ(r.capture.packets, 86u);
}

TEST(Analyzer, SaysWhatIsWrongWithAFile) {
  const temporary_file text(wire::as_bytes("no capture at all, but a sentence"));
  const temporary_file nothing(wire::bytes{});
  const temporary_file header(pcap_builder().file());

  analyzer a;
  EXPECT_FALSE(a.file("/no/such/file.pcap"));
  EXPECT_FALSE(a.file(text.path()));
  EXPECT_FALSE(a.file(nothing.path()));
  const auto empty = a.file(header.path());
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error(), HasSubstr(header.path()));
  EXPECT_EQ(a.finish().operations.count(), 0u);
}

TEST(Analyzer, WarnsOfACutFileAndKeepsWhatCameBefore) {
  auto bytes = pcap_builder().add(some_requests().frames).file();
  bytes.resize(bytes.size() - 30);
  const temporary_file file(bytes);

  analyzer a;
  ASSERT_TRUE(a.file(file.path()));
  const auto r = a.finish();

  EXPECT_EQ(r.seen.timed, 19u);
  EXPECT_EQ(r.seen.unanswered, 1u);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_THAT(r.warnings[0], HasSubstr(file.path()));
}

TEST(Analyzer, ShowsEveryExchangeToOthersToo) {
  const auto got = analyse(some_requests(77).frames);

  ASSERT_EQ(got.exchanges.size(), 20u);
  EXPECT_EQ(got.exchanges.front().id, 77u);
  EXPECT_EQ(got.exchanges.front().call_packet, 4u);
  EXPECT_EQ(got.exchanges.front().reply_packet, 5u);
}

TEST(Analyzer, UsesTheHandshakeForTheNetworksPart) {
  const auto r = analyse(some_requests().frames).result;

  const auto& stats = *r.operations.find({wire::protocol::nfs3, 1});
  EXPECT_EQ(stats.phases[profiler::timing::phase::network] / 20, 100us);
  EXPECT_EQ(stats.phases[profiler::timing::phase::server] / 20, 300us);
}

TEST(Analyzer, ResultsOfPartsAddUp) {
  auto a = analyse(some_requests().frames).result;
  const auto b = analyse(some_requests(100).frames).result;

  a.merge(b);

  EXPECT_EQ(a.operations.count(), 40u);
  EXPECT_EQ(a.seen.calls, 40u);
  EXPECT_EQ(a.network.frames, 86u);
  EXPECT_EQ(a.connections.size(), 2u);
}

} // namespace
