#include "tests/support/synthesiser/files.hpp"
#include "tests/support/synthesiser/scenarios.hpp"
#include "tests/support/synthesiser/transforms.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

/// The answer must not depend on how the same traffic was cut, tagged, stored or captured.
namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::analyse_file;
using support::traffic;
using wire::nanos;

/// What may differ between two captures of the same traffic.
struct allowed {
  bool packet_numbers = false;
  bool addresses = false;
  bool message_bytes = false; ///< record marks count
  bool segmentation = false;  ///< what TCP's segments say: MTU, estimates of the line
  bool status = false;        ///< of RPC: read when the call's credential was captured whole
  bool objects = false;       ///< what stands in the bodies: files, offsets, lengths of data
};

std::string text(nanos t) {
  return wire::known(t) ? std::to_string((t - support::scenario_start).count()) : "-";
}

/// Everything that an exchange says, in one line.
std::string told(const wire::exchange& e, const allowed& a) {
  std::ostringstream out;
  out << to_string(e.proto) << " op " << e.operation << " part " << e.part << '/' << e.operations
      << " id " << e.id << " attempts " << unsigned{e.attempts} << " interim " << e.interim
      << " long " << e.long_wait << " eliminated " << e.by_elimination << " replied " << e.replied
      << " bounded " << e.q1_bounded << e.r1_bounded << " stalls " << e.request_stall.count() << ' '
      << e.reply_stall.count();
  for (const auto t : {e.t.q0, e.t.q1, e.t.resent, e.t.r0, e.t.r1, e.t.completed})
    out << ' ' << text(t);
  if (!a.segmentation)
    out << " network " << (wire::known(e.network) ? std::to_string(e.network.count()) : "-");
  if (!a.packet_numbers) out << " packets " << e.call_packet << ' ' << e.reply_packet;
  if (!a.message_bytes) out << " bytes " << e.request_bytes << ' ' << e.reply_bytes;
  if (!a.status) out << " status " << e.status << " failed " << e.failed;
  if (!a.objects)
    out << " file " << e.file << " in " << e.parent << " dir " << e.directory << " at " << e.offset
        << " data " << e.data_bytes;
  return out.str();
}

std::string told(const profiler::flow::coverage& seen) {
  std::ostringstream out;
  for (const auto& c : profiler::flow::coverage_counters)
    out << ' ' << c.key << ' ' << seen.*c.count;
  return out.str();
}

std::string told(const profiler::flow::connection& c, const allowed& a) {
  std::ostringstream out;
  const auto& tcp = c.tcp();
  if (!a.addresses) out << text_of(c.key.client) << ' ' << text_of(c.key.server);
  out << " mid " << c.mid_stream << ' ' << text(c.first) << ' ' << text(c.last) << " protocols "
      << c.protocols << " exchanges " << c.exchanges << " handshake " << tcp.handshake_seen
      << " offload " << tcp.offload_seen << " gap bytes " << tcp.gap_bytes << " sent again "
      << tcp.retransmitted << " zero window " << tcp.zero_window.count() << told(c.seen);
  if (!a.segmentation)
    out << " mss " << tcp.mss_client << ' ' << tcp.mss_server << " segments " << tcp.segments
        << " rtt " << tcp.rtt_min.count() << ' ' << static_cast<int>(tcp.rtt_from) << ' '
        << tcp.server_side_rtt.count();
  return out.str();
}

/// All that came out, one line for each thing, in an order that is not the capture's.
std::vector<std::string> told(const support::analysed& got, const allowed& a) {
  std::multimap<std::string, std::string> sorted;
  for (const auto& e : got.exchanges) {
    const auto& key = got.result.connections.at(e.connection).key;
    std::ostringstream order;
    order << text(e.t.q0) << ' ' << key.client.port << ' ' << e.id;
    sorted.emplace(order.str(), told(e, a));
  }
  std::vector<std::string> out;
  for (auto& [order, line] : sorted)
    out.push_back(line);
  std::map<wire::u16, std::string> connections;
  for (const auto& c : got.result.connections)
    connections[c.key.client.port] += told(c, a);
  for (const auto& [port, line] : connections)
    out.push_back(line);
  out.push_back("all" + told(got.result.seen));
  for (const auto& [key, row] : got.result.operations.rows()) {
    std::ostringstream line;
    line << to_string(key.proto) << ' ' << key.operation << ' ' << row.count << ' '
         << (a.status ? 0 : row.errors) << ' ' << row.unanswered << ' ' << row.waits << ' '
         << row.latency.sum().count() << ' ' << row.srt.sum().count() << ' '
         << row.latency.max().count();
    out.push_back(line.str());
  }
  out.push_back("wall ns " + std::to_string(std::llround(got.result.wall.wall_seconds() * 1e9)));
  if (!a.objects)
    out.push_back("files " + std::to_string(got.result.files.count()) + " sequences " +
                  std::to_string(got.result.files.sequences().size()) + " bytes " +
                  std::to_string(got.result.files.bytes_mean()));
  return out;
}

void expect_same(const support::analysed& got, const support::analysed& want,
                 const allowed& a = {}) {
  const auto g = told(got, a);
  const auto w = told(want, a);
  ASSERT_EQ(g.size(), w.size());
  int differences = 0;
  for (std::size_t i = 0; i < g.size() && differences < 3; ++i) {
    EXPECT_EQ(g[i], w[i]);
    if (g[i] != w[i]) ++differences;
  }
  EXPECT_NEAR(got.result.wall.residual_seconds(), 0, 1e-9);
}

class Invariance : public testing::TestWithParam<unsigned> {
 protected:
  traffic session = support::mixed_session(GetParam());
  support::analysed want = analyse(session);
};

// Exactly what was sent: no capture is better than this one.
TEST_P(Invariance, TheReferenceIsTheTruth) {
  const auto messages = support::messages_of(session);
  const auto truth = support::exchanges_of(messages);
  ASSERT_EQ(want.exchanges.size(), truth.size());
  for (const auto& t : truth) {
    ASSERT_NE(t.reply, nullptr);
    const auto found =
        std::find_if(want.exchanges.begin(), want.exchanges.end(), [&](const wire::exchange& e) {
          const auto& key = want.result.connections.at(e.connection).key;
          return e.id == t.call->id && key.client == t.call->client && key.server == t.call->server;
        });
    ASSERT_NE(found, want.exchanges.end()) << t.call->id;
    EXPECT_EQ(found->t.q0, t.call->first);
    EXPECT_EQ(found->t.q1, t.call->last);
    EXPECT_EQ(found->t.r0, t.reply->first);
    EXPECT_EQ(found->t.r1, t.reply->last);
  }
  EXPECT_EQ(want.result.seen.share(), 1.0);
}

TEST_P(Invariance, Segmentation) {
  constexpr allowed a{.packet_numbers = true, .segmentation = true};
  for (const std::size_t mss : {97, 536, 1000, 1448})
    expect_same(analyse(session | support::segment(mss)), want, a);
  expect_same(analyse(session | support::split_randomly(GetParam(), 3)), want, a);
  expect_same(analyse(session | support::split_randomly(GetParam(), 900)), want, a);
}

// What the network card cuts is stamped once: the times of a message can only come closer together.
TEST_P(Invariance, Offload) {
  const auto got = analyse(session | support::coalesce(60'000, 15us));

  EXPECT_EQ(got.result.seen.timed, want.result.seen.timed);
  EXPECT_EQ(told(got.result.seen), told(want.result.seen));
  std::map<std::pair<wire::u64, wire::protocol>, const wire::exchange*> by_id;
  const auto port = [](const support::analysed& r, const wire::exchange& e) {
    return r.result.connections.at(e.connection).key.client.port;
  };
  for (const auto& e : got.exchanges) {
    const auto same = [&](const wire::exchange& w) {
      return w.id == e.id && port(want, w) == port(got, e);
    };
    const auto found = std::find_if(want.exchanges.begin(), want.exchanges.end(), same);
    ASSERT_NE(found, want.exchanges.end());
    EXPECT_LE(e.t.q1 - e.t.q0, found->t.q1 - found->t.q0);
    EXPECT_LE(e.t.r1 - e.t.r0, found->t.r1 - found->t.r0);
    EXPECT_LE(e.t.q0, found->t.q0);
    EXPECT_EQ(e.status, found->status);
    EXPECT_EQ(e.data_bytes, found->data_bytes);
  }
  bool flagged = false;
  for (const auto& c : got.result.connections)
    flagged |= c.tcp().offload_seen;
  EXPECT_TRUE(flagged) << "transmit times are lower bounds";
}

TEST_P(Invariance, RecordFragments) {
  constexpr allowed a{.packet_numbers = true, .message_bytes = true, .segmentation = true};
  const auto fragmented = session | support::fragment_records(GetParam()) | support::segment(1448);
  expect_same(analyse(fragmented), want, a);
  expect_same(analyse(fragmented | support::split_randomly(GetParam(), 200)), want, a);
}

TEST_P(Invariance, SequenceNumbersThatWrap) {
  for (const wire::u32 sent : {0u, 1u, 100u, 5000u})
    expect_same(analyse(session | support::wrap_sequence_after(sent)), want);
}

TEST_P(Invariance, Ipv6) {
  expect_same(analyse(session | support::over_ipv6()), want,
              {.addresses = true, .segmentation = true});
}

TEST_P(Invariance, LinkLayers) {
  for (const wire::u32 type : {0u, 101u, 108u, 113u, 276u})
    expect_same(analyse(session | support::link(type)), want);
  expect_same(analyse(session | support::vlan(7)), want);
  expect_same(analyse(session | support::qinq(100, 7)), want);
}

TEST_P(Invariance, FileFormats) {
  for (const bool big_endian : {false, true}) {
    for (const bool nanoseconds : {false, true}) {
      expect_same(analyse_file(support::pcap_of(session, {big_endian, nanoseconds})), want);
      const wire::u8 resolution = nanoseconds ? 9 : 6;
      expect_same(analyse_file(support::pcapng_of(session, {big_endian, resolution})), want);
    }
  }
}

TEST_P(Invariance, InterfacesThatDiffer) {
  const auto spread = session | support::spread_over({{.link_type = 1, .vlans = {7}},
                                                      {.link_type = 113},
                                                      {.link_type = 276, .snap_length = 1600}});
  expect_same(analyse_file(support::pcapng_of(spread)), want);
  expect_same(analyse_file(support::pcapng_of(spread, {.big_endian = true})), want);
}

// Of messages that begin at the start of a segment the header is kept; of the bodies nothing is
// counted on. docs/definitions.md says how much of a frame each kind of message needs.
TEST_P(Invariance, SnapLengths) {
  const auto plain = support::mixed_session(GetParam(), 8, false);
  const auto whole = analyse(plain);
  for (const std::size_t length : {96, 97})
    expect_same(analyse(plain | support::snap(length)), whole, {.status = true, .objects = true});
  for (const std::size_t length : {98, 128, 200, 256})
    expect_same(analyse(plain | support::snap(length)), whole, {.objects = true});
  // Headers, handles and names end before byte 400, and so do the attributes of a reply.
  for (const std::size_t length : {400, 1000, 1514})
    expect_same(analyse(plain | support::snap(length)), whole);
}

// The figures of docs/definitions.md: the bytes of a message that its times need.
TEST_P(Invariance, ShortestSnapLengths) {
  constexpr allowed a{.addresses = true, .segmentation = true, .status = true, .objects = true};
  constexpr std::size_t headers = 54;
  struct kind {
    traffic session;
    std::size_t bytes;
  };
  for (const auto& [plain, bytes] : {kind{support::nfs_session(GetParam()), 28},
                                     kind{support::smb2_session(GetParam(), 8, false), 36}}) {
    const auto whole = analyse(plain);
    expect_same(analyse(plain | support::snap(headers + bytes)), whole, a);
    expect_same(analyse(plain | support::vlan(7) | support::snap(headers + 4 + bytes)), whole, a);
    expect_same(analyse(plain | support::over_ipv6() | support::snap(headers + 20 + bytes)), whole,
                a);
    EXPECT_GT(analyse(plain | support::snap(headers + bytes - 1)).result.seen.cut_messages, 0u);
  }
}

TEST_P(Invariance, SnapLengthsHideTheRestOfCompounds) {
  for (const std::size_t length : {96, 128, 256, 1000}) {
    const auto got = analyse(session | support::snap(length));
    const allowed a{.status = length < 98, .objects = true};
    std::size_t hidden = 0;
    std::map<std::string, int> lines;
    for (const auto& e : got.exchanges)
      ++lines[told(e, a)];
    for (const auto& e : want.exchanges) {
      if (lines.contains(told(e, a))) continue;
      EXPECT_GT(e.operations, 1u) << told(e, a);
      ++hidden;
    }
    EXPECT_LE(got.result.seen.timed, want.result.seen.timed);
    EXPECT_EQ(hidden > 0, got.result.seen.hidden_parts > 0);
    EXPECT_EQ(got.result.seen.cut_messages, 0u);
    EXPECT_EQ(got.result.seen.orphan_replies, 0u);
  }
}

TEST_P(Invariance, DisorderOfTheCapture) {
  constexpr allowed a{.packet_numbers = true, .segmentation = true};
  for (unsigned seed = 1; seed < 6; ++seed)
    expect_same(analyse(session | support::shuffle(50us, seed)), want, a);
}

TEST_P(Invariance, FramesCapturedTwice) {
  constexpr allowed a{.packet_numbers = true};
  expect_same(analyse(session | support::duplicate(0us)), want, a);
  expect_same(analyse(session | support::duplicate(3us)), want, a);
  expect_same(analyse(session | support::duplicate(8us, true)), want, a);
  expect_same(analyse(session | support::duplicate(150us)), want, a);
}

TEST_P(Invariance, AllTogether) {
  const auto got = analyse_file(support::pcapng_of(
      session | support::fragment_records(3) | support::split_randomly(4, 1400) |
          support::wrap_sequence_after(777) | support::over_ipv6() | support::duplicate(0us, true) |
          support::shuffle(20us, 5) |
          support::spread_over(
              {{.link_type = 1, .vlans = {1, 2}}, {.link_type = 113}, {.link_type = 101}}),
      {.big_endian = true}));
  expect_same(
      got, want,
      {.packet_numbers = true, .addresses = true, .message_bytes = true, .segmentation = true});
}

INSTANTIATE_TEST_SUITE_P(Sessions, Invariance, testing::Range(1u, 6u));

// Whole microseconds: each time is cut by less than one.
TEST(Rounding, OfMicrosecondFilesIsLessThanOneMicrosecond) {
  const auto session = support::large_read_and_write();
  const auto want = analyse(session);
  const auto got = analyse_file(support::pcap_of(session));

  ASSERT_EQ(got.exchanges.size(), want.exchanges.size());
  for (std::size_t i = 0; i < want.exchanges.size(); ++i) {
    const auto& g = got.exchanges[i].t;
    const auto& w = want.exchanges[i].t;
    for (const auto& [x, y] : {std::pair{g.q0, w.q0}, {g.q1, w.q1}, {g.r0, w.r0}, {g.r1, w.r1}}) {
      EXPECT_LE(x, y);
      EXPECT_GT(x, y - 1us);
    }
  }
  EXPECT_EQ(told(got.result.seen), told(want.result.seen));
}

} // namespace
