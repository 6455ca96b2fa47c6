#include "profiler/link/layer.hpp"
#include "tests/support/pcap_builder.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::link::find;
using support::byte_vector;
using wire::bytes;
using wire::u32;

const byte_vector packet_v4 = support::udp(support::v4(198, 18, 0, 1, 800),
                                           support::v4(198, 18, 0, 2, 2049), support::pattern(50));
const byte_vector packet_v6 =
    support::udp(support::v6(1, 800), support::v6(2, 2049), support::pattern(50));

struct framing {
  u32 link_type;
  byte_vector frame;
  std::size_t header;
};

std::vector<framing> framings(bytes packet) {
  return {
      {1, support::ethernet(packet), 14},           {1, support::ethernet(packet, {7}), 18},
      {1, support::ethernet(packet, {100, 7}), 22}, {113, support::linux_sll(packet), 16},
      {276, support::linux_sll2(packet), 20},       {0, support::null_loopback(packet), 4},
      {0, support::null_loopback(packet, true), 4}, {108, support::null_loopback(packet, true), 4},
      {101, {packet.begin(), packet.end()}, 0},     {12, {packet.begin(), packet.end()}, 0},
      {14, {packet.begin(), packet.end()}, 0}};
}

TEST(LinkLayers, AllFindTheSamePacket) {
  for (const auto& packet : {packet_v4, packet_v6}) {
    for (const auto& f : framings(packet)) {
      const auto* layer = find(f.link_type);
      ASSERT_NE(layer, nullptr) << f.link_type;

      const auto got = layer->strip(f.frame, static_cast<u32>(f.frame.size()) + 9);

      ASSERT_TRUE(got) << f.link_type;
      EXPECT_EQ(got->protocol, packet == packet_v4 ? 0x0800 : 0x86dd) << f.link_type;
      EXPECT_TRUE(std::equal(got->data.begin(), got->data.end(), packet.begin(), packet.end()));
      EXPECT_EQ(got->wire_length, packet.size() + 9);
      EXPECT_EQ(f.frame.size() - got->data.size(), f.header);
    }
  }
}

TEST(LinkLayers, TellTheInnermostTag) {
  const auto got = find(1)->strip(support::ethernet(packet_v4, {100, 7}), 200);

  ASSERT_TRUE(got);
  EXPECT_EQ(got->tags, 2);
  EXPECT_EQ(got->vlan, 7);
}

TEST(LinkLayers, GiveNothingWhenTheFrameEndsInsideTheirHeader) {
  for (const auto& f : framings(packet_v4)) {
    const auto shortest = std::max<std::size_t>(f.header, 1);
    for (std::size_t n = 0; n < shortest; ++n) {
      const byte_vector cut(f.frame.begin(), f.frame.begin() + static_cast<std::ptrdiff_t>(n));
      EXPECT_FALSE(find(f.link_type)->strip(cut, 100)) << f.link_type << " at " << n;
    }
    EXPECT_TRUE(find(f.link_type)->strip(bytes(f.frame).first(shortest), 100)) << f.link_type;
  }
}

TEST(LinkLayers, TakeIpOutOfSnapAndNothingElseOutOfLlc) {
  // 802.3 with a length, then LLC and SNAP: AA AA 03, OUI 0, type 0800.
  const auto snap =
      wire::from_hex("0200 0000 0001 0200 0000 0002 0026 aaaa03 000000 0800 45").value();
  // A spanning tree frame: LLC 42 42 03.
  const auto tree =
      wire::from_hex("0180 c200 0000 0200 0000 0002 0026 424203 0000 0000 0000").value();

  const auto ip = find(1)->strip(snap, 60);
  const auto other = find(1)->strip(tree, 60);

  ASSERT_TRUE(ip);
  EXPECT_EQ(ip->protocol, 0x0800);
  EXPECT_EQ(ip->data.size(), 1u);
  EXPECT_EQ(ip->wire_length, 38u);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->protocol, 0);
}

TEST(LinkLayers, KnowTheirNames) {
  EXPECT_EQ(profiler::link::name_of(1), "Ethernet");
  EXPECT_EQ(profiler::link::name_of(147), "link type 147");
  EXPECT_EQ(find(147), nullptr);
}

} // namespace
