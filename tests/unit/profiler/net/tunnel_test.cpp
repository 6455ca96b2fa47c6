#include "tests/support/tunnels.hpp"

#include "tcp_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tcp_script;
using profiler::net::counters;
using recorded::play;
using recorded::recorder;
using support::byte_vector;
using support::ip_fields;
using testing::ElementsAre;
using testing::SizeIs;
using wire::bytes;
using wire::u64;
namespace tunnel = support::tunnel;

const auto client6 = support::v6(1, 741);
const auto server6 = support::v6(2, 2049);

byte_vector packet_of(bool six, u32 seq = 1000, u32 n = 300) {
  return six ? support::tcp(client6, server6, {.seq = seq, .ack = 5000}, pattern(n, seq))
             : support::tcp(client, server, {.seq = seq, .ack = 5000}, pattern(n, seq));
}

u64 frames_in(const counters& c, std::string_view name) {
  for (const auto& n : profiler::net::encapsulations_of(c))
    if (n.name == name) return n.count;
  return 0;
}

/// Frames that were not analysed, of all kinds.
u64 lost(const counters& c) {
  return c.headers_cut + c.not_ip + c.bad_ip + c.bad_transport + c.bad_tunnels +
         c.tunnels_too_deep + c.encrypted_frames + c.roce_frames + c.quic_datagrams +
         c.other_transport;
}

timed_frame at(int ms, byte_vector frame) {
  return {milliseconds(ms), std::move(frame), 0};
}

TEST(Tunnels, AllLeadToThePacketInside) {
  for (const bool six : {false, true}) {
    for (const auto& t : tunnel::all(packet_of(six))) {
      recorder to;
      const auto counts = play({at(1, t.frame)}, to);

      ASSERT_THAT(to.connections, SizeIs(1)) << t.name;
      EXPECT_EQ(to.connections[0]->to_server().data, pattern(300, 1000)) << t.name;
      EXPECT_EQ(to.connections[0]->key.client, six ? client6 : client) << t.name;
      EXPECT_EQ(frames_in(counts, t.name), 1u) << t.name;
      const auto number = t.network == ~u32{0} ? "" : " " + std::to_string(t.network);
      EXPECT_EQ(to.connections[0]->facts.wrapped.text(), t.name + number);
    }
  }
}

TEST(Tunnels, KeepTheLengthOnTheWireWhenTheCaptureWasCut) {
  for (const bool six : {false, true}) {
    for (const auto& t : tunnel::all(packet_of(six))) {
      auto f = at(1, t.frame);
      f.wire_length = static_cast<u32>(f.data.size());
      f.data.resize(f.data.size() - 150);
      recorder to;
      play({f}, to);
      ASSERT_THAT(to.connections, SizeIs(1)) << t.name;
      EXPECT_THAT(to.connections[0]->events, ElementsAre("> 300", "end")) << t.name;
    }
  }
}

TEST(Tunnels, CountEachFrameOnceWhereverTheSnapLengthCutsIt) {
  for (const auto& t : tunnel::all(packet_of(true))) {
    for (std::size_t n = 0; n < t.frame.size() - 300; ++n) {
      timed_frame f{milliseconds(1),
                    {t.frame.begin(), t.frame.begin() + static_cast<long>(n)},
                    static_cast<u32>(t.frame.size())};
      recorder to;
      const auto counts = play({f}, to);
      EXPECT_EQ(counts.tcp_segments + lost(counts), 1u) << t.name << " cut at " << n;
      EXPECT_EQ(counts.not_ip + counts.bad_ip + counts.bad_transport, 0u) << t.name << " " << n;
    }
  }
}

TEST(Tunnels, AreFollowedIntoEachOtherUpToALimit) {
  auto packet = packet_of(false);
  for (int i = 0; i < profiler::net::dispatcher::tunnels_max; ++i)
    packet = tunnel::over_ip(4, packet);
  recorder reached;
  recorder not_reached;

  const auto counts = play({at(1, support::ethernet(packet))}, reached);
  const auto deeper = play({at(1, support::ethernet(tunnel::over_ip(4, packet)))}, not_reached);

  EXPECT_THAT(reached.connections, SizeIs(1));
  EXPECT_EQ(frames_in(counts, "IP-in-IP"), 8u);
  EXPECT_THAT(not_reached.connections, SizeIs(0));
  EXPECT_EQ(deeper.tunnels_too_deep, 1u);
}

TEST(Tunnels, AreNamedFromTheInnermost) {
  const auto inner = tunnel::bare_ethernet(packet_of(false), {9});
  const auto frame = support::ethernet(tunnel::over_udp(4789, tunnel::vxlan(inner)), {100, 7});
  recorder to;

  const auto counts = play({at(1, frame)}, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_EQ(to.connections[0]->facts.wrapped.text(), "VLAN 9 in VXLAN 42 in VLAN 7");
  EXPECT_EQ(frames_in(counts, "VLAN"), 2u);
  EXPECT_FALSE(to.connections[0]->facts.wrapped_differently);
}

TEST(Tunnels, DoNotSplitAConnectionThatIsSeenOnBothSidesOfThem) {
  const auto plain = [](u32 seq) { return support::ethernet(packet_of(false, seq, 100)); };
  const auto wrapped = [](u32 seq) {
    return support::ethernet(
        tunnel::over_udp(4789, tunnel::vxlan(tunnel::bare_ethernet(packet_of(false, seq, 100)))));
  };
  recorder to;

  const auto counts = play({at(1, plain(1000)), at(2, wrapped(1100)), at(3, plain(1200))}, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 100", "> 100", "> 100", "end"));
  EXPECT_TRUE(to.connections[0]->facts.wrapped_differently);
  EXPECT_EQ(frames_in(counts, "VXLAN"), 1u);
}

TEST(Tunnels, ComeInFragmentsToo) {
  const auto whole = tunnel::vxlan(tunnel::bare_ethernet(packet_of(false, 1000, 1400)));
  const auto datagram = tunnel::over_udp(4789, whole);
  const bytes payload = bytes(datagram).subspan(20);
  const auto first =
      tunnel::over_ip(17, payload.first(1400), ip_fields{.id = 9, .fragment = 0x2000});
  const auto rest =
      tunnel::over_ip(17, payload.subspan(1400), ip_fields{.id = 9, .fragment = 1400 / 8});
  recorder to;

  const auto counts = play({at(1, support::ethernet(first)), at(2, support::ethernet(rest))}, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_EQ(to.connections[0]->to_server().data, pattern(1400, 1000));
  EXPECT_EQ(counts.fragmented_datagrams, 1u);
}

TEST(Tunnels, TakeOffloadedFramesWithoutALength) {
  auto inner_fields = support::tcp_fields{.seq = 1000, .ack = 5000};
  inner_fields.ip.total_length = u16{0};
  const auto inner = support::tcp(client, server, inner_fields, pattern(70'000, 1000));
  const auto frame = support::ethernet(tunnel::over_udp(
      4789, tunnel::vxlan(tunnel::bare_ethernet(inner)), ip_fields{.total_length = u16{0}}));
  recorder to;

  play({at(1, frame)}, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 70000", "end"));
  EXPECT_TRUE(to.connections[0]->facts.offload_seen);
}

TEST(Tunnels, AreNotSeenInDatagramsOfAServiceToAnUnluckyPort) {
  // A client of NFS over UDP whose port is VXLAN's; the reply's xid looks like VXLAN's flags.
  auto reply = pattern(80);
  reply[0] = std::byte{0x08};
  const auto to_client =
      support::udp(support::v4(198, 18, 0, 2, 2049), support::v4(198, 18, 0, 1, 4789), reply);
  const auto no_vxlan = tunnel::over_udp(4789, byte_vector(40)); // the flag is not set
  recorder to;

  const auto counts =
      play({at(1, support::ethernet(to_client)), at(2, support::ethernet(no_vxlan))}, to);

  EXPECT_THAT(to.datagrams, SizeIs(2));
  EXPECT_EQ(frames_in(counts, "VXLAN"), 0u);
}

TEST(Tunnels, NameWhatCannotBeLookedInto) {
  const auto ip = packet_of(false);
  std::vector<timed_frame> frames;
  frames.push_back(at(1, tunnel::frame(tunnel::macsec(ip, true))));
  frames.push_back(at(2, support::ethernet(tunnel::over_ip(50, pattern(100)))));
  frames.push_back(at(3, support::ethernet(pattern(100), {}, 0x8915)));             // RoCE
  frames.push_back(at(4, support::ethernet(tunnel::over_udp(4791, pattern(100))))); // RoCE v2
  auto quic = pattern(100);
  quic[0] = std::byte{0xc3};
  frames.push_back(at(5, support::ethernet(tunnel::over_udp(443, quic))));
  frames.push_back(at(6, support::ethernet(pattern(60), {}, 0x8863)));                 // discovery
  frames.push_back(at(7, support::ethernet(tunnel::over_ip(47, tunnel::gre(0, {}))))); // alive
  recorder to;

  const auto counts = play(frames, to);

  EXPECT_EQ(counts.encrypted_frames, 2u);
  EXPECT_EQ(counts.roce_frames, 2u);
  EXPECT_EQ(counts.roce_bytes, 100u + 128u);
  EXPECT_EQ(counts.quic_datagrams, 1u);
  EXPECT_EQ(counts.quic_bytes, 100u);
  EXPECT_EQ(counts.not_ip, 2u);
  EXPECT_EQ(lost(counts), 7u);
  EXPECT_THAT(to.connections, SizeIs(0));
}

TEST(Tunnels, CountDamagedHeaders) {
  std::vector<timed_frame> frames;
  frames.push_back(
      at(1, tunnel::frame(tunnel::mpls(packet_of(false), std::vector<u32>(17, 5))))); // endless
  frames.push_back(
      at(2, support::ethernet(tunnel::over_ip(47, tunnel::gre(0x0800, {}, {.version = 3})))));
  auto session = tunnel::pppoe(packet_of(false));
  session.data[0] = std::byte{0x22};
  frames.push_back(at(3, tunnel::frame(session)));
  recorder to;

  const auto counts = play(frames, to);

  EXPECT_EQ(counts.bad_tunnels, 3u);
  EXPECT_EQ(lost(counts), 3u);
}

TEST(LinkLayers, OfSerialLinesAndOfNetfilterLeadToThePacket) {
  const auto packet = packet_of(false);
  const auto with_direction = [&] {
    auto out = tunnel::ppp(packet, false, true);
    out.insert(out.begin(), std::byte{1});
    return out;
  }();
  byte_vector cisco{std::byte{0x0f}, std::byte{0}, std::byte{8}, std::byte{0}};
  cisco.insert(cisco.end(), packet.begin(), packet.end());
  const std::vector<std::pair<u32, byte_vector>> frames{{9, tunnel::ppp(packet)},
                                                        {9, tunnel::ppp(packet, true)},
                                                        {50, tunnel::ppp(packet, false, true)},
                                                        {50, cisco},
                                                        {104, cisco},
                                                        {204, with_direction},
                                                        {51, tunnel::pppoe(packet).data},
                                                        {239, tunnel::nflog(packet)},
                                                        {239, tunnel::nflog(packet, true)}};
  for (const auto& [link_type, data] : frames) {
    recorder to;
    play({at(1, data)}, to, {}, link_type);
    ASSERT_THAT(to.connections, SizeIs(1)) << link_type;
    EXPECT_EQ(to.connections[0]->to_server().data, pattern(300, 1000)) << link_type;
  }
}

/// ICMP around the first bytes of a packet.
byte_vector icmp(wire::u8 type, wire::u8 code, bytes about, bool six) {
  byte_vector message{std::byte{type}, std::byte{code}};
  message.resize(8);
  message.insert(message.end(), about.begin(),
                 about.begin() + std::min<long>(static_cast<long>(about.size()), six ? 60 : 28));
  return six ? support::ip(support::v6(9, 0), client6, 58, message)
             : support::ip(support::v4(192, 0, 2, 9, 0), client, 1, message);
}

TEST(Icmp, ReportsOfTheServicesPacketsAreCounted) {
  const auto other =
      support::tcp(support::v4(1, 2, 3, 4, 40000), support::v4(1, 2, 3, 5, 443), {}, pattern(9));
  recorder to;

  const auto counts = play({at(1, support::ethernet(icmp(3, 4, packet_of(false), false))),
                            at(2, support::ethernet(icmp(2, 0, packet_of(true), true))),
                            at(3, support::ethernet(icmp(3, 1, packet_of(false), false))),
                            at(4, support::ethernet(icmp(3, 4, other, false))),
                            at(5, support::ethernet(icmp(8, 0, packet_of(false), false)))},
                           to);

  EXPECT_EQ(counts.icmp_too_big, 2u);
  EXPECT_EQ(counts.icmp_unreachable, 1u);
  EXPECT_EQ(counts.other_transport, 5u);
}

TEST(Ip, TakesJumbogramsOfHostsOwnMaking) {
  // 40 bytes of header with length 0, a hop-by-hop header with the jumbo option, then TCP.
  const auto packet = support::tcp(client6, server6, {.seq = 1000, .ack = 5000}, pattern(70'000));
  byte_vector jumbo(packet.begin(), packet.begin() + 40);
  jumbo[4] = jumbo[5] = std::byte{0};
  jumbo[6] = std::byte{0};
  byte_vector hop{std::byte{6}, std::byte{0}, std::byte{0xc2}, std::byte{4}};
  support::detail::put_be<u32>(hop, static_cast<u32>(8 + packet.size() - 40));
  jumbo.insert(jumbo.end(), hop.begin(), hop.end());
  jumbo.insert(jumbo.end(), packet.begin() + 40, packet.end());
  auto frame = support::ethernet(jumbo);
  frame.resize(frame.size() + 4); // a checksum of the link's, say
  recorder to;

  play({at(1, frame)}, to);

  ASSERT_THAT(to.connections, SizeIs(1));
  EXPECT_THAT(to.connections[0]->events, ElementsAre("> 70000", "end"));
}

} // namespace
