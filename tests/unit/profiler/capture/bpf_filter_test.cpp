#include "profiler/capture/bpf_filter.hpp"
#include "reading.hpp"
#include "wire/hex.hpp"

#include <algorithm>

namespace {

using namespace reading;
using profiler::packet;
using profiler::capture::compile_filter;
using profiler::capture::packet_filter;
using testing::HasSubstr;
using wire::u16;
using wire::u8;

std::unique_ptr<packet_filter> filter(const std::string& expression) {
  auto f = compile_filter(expression);
  EXPECT_TRUE(f) << f.error();
  return f ? std::move(*f) : nullptr;
}

/// A UDP datagram between 198.18.0.1 or fd00::1, and …2.
byte_vector datagram(bool v6, u16 server_port) {
  const auto payload = support::pattern(50);
  if (v6) return support::udp(support::v6(1, 800), support::v6(2, server_port), payload);
  return support::udp(support::v4(198, 18, 0, 1, 800), support::v4(198, 18, 0, 2, server_port),
                      payload);
}

/// A frame of the same packet in each framing that there is, tagged and not.
struct framing {
  u32 link_type;
  std::string name;
  byte_vector frame;
};

/// Puts tags behind the header of a cooked frame, whose type stands at `type_at`.
byte_vector tagged(byte_vector frame, std::size_t type_at, std::size_t header,
                   const std::vector<u16>& vlans) {
  byte_vector tags;
  for (std::size_t i = 0; i < vlans.size(); ++i) {
    support::detail::put<u16>(tags, vlans[i], true);
    if (i + 1 < vlans.size()) support::detail::put<u16>(tags, 0x8100, true);
  }
  const auto type = frame.begin() + static_cast<std::ptrdiff_t>(type_at);
  tags.insert(tags.end(), type, type + 2);
  wire::store_be<u16>(frame.data() + type_at, vlans.size() > 1 ? 0x88a8 : 0x8100);
  frame.insert(frame.begin() + static_cast<std::ptrdiff_t>(header), tags.begin(), tags.end());
  return frame;
}

byte_vector with_family(byte_vector frame, u32 family, bool big_endian) {
  if (big_endian)
    wire::store_be(frame.data(), family);
  else
    wire::store_le(frame.data(), family);
  return frame;
}

std::vector<framing> framings(const byte_vector& ip, bool v6) {
  const auto sll = support::linux_sll(ip);
  const auto sll2 = support::linux_sll2(ip);
  const auto null = support::null_loopback(ip);
  std::vector<framing> out{
      {1, "Ethernet", support::ethernet(ip)},
      {1, "Ethernet, a tag", support::ethernet(ip, {7})},
      {1, "Ethernet, QinQ", support::ethernet(ip, {100, 7})},
      {113, "SLL", sll},
      {113, "SLL, a tag", tagged(sll, 14, 16, {7})},
      {276, "SLL2", sll2},
      {276, "SLL2, a tag", tagged(sll2, 0, 20, {7})},
      {276, "SLL2, QinQ", tagged(sll2, 0, 20, {100, 7})},
      {101, "RAW", ip},
      {12, "RAW, BSD", ip},
      {14, "RAW, OpenBSD", ip},
      {v6 ? 229u : 228u, "IP", ip},
  };
  for (const u32 family : v6 ? std::vector<u32>{10, 24, 28, 30} : std::vector<u32>{2})
    for (const bool big_endian : {false, true}) {
      const auto name = "family " + std::to_string(family) + (big_endian ? ", big-endian" : "");
      out.push_back({0, "NULL, " + name, with_family(null, family, big_endian)});
      if (big_endian) out.push_back({108, "LOOP, " + name, with_family(null, family, true)});
    }
  return out;
}

bool wants(packet_filter& f, const framing& x) {
  packet p;
  p.data = x.frame;
  p.wire_length = static_cast<u32>(x.frame.size());
  p.link_type = x.link_type;
  const auto answer = f.wants(p);
  EXPECT_TRUE(answer) << x.name << ": " << answer.error();
  return answer.value_or(false);
}

TEST(BpfFilter, TakesTheSamePacketOfEveryLinkType) {
  const auto port = filter("port 2049");
  const auto hosts = filter("src host 198.18.0.1 or src host fd00::1");
  const auto only_v6 = filter("ip6");
  const auto not_udp = filter("not udp");
  for (const bool v6 : {false, true}) {
    for (const auto& x : framings(datagram(v6, 2049), v6)) {
      EXPECT_TRUE(wants(*port, x)) << x.name << v6;
      EXPECT_TRUE(wants(*hosts, x)) << x.name << v6;
      EXPECT_EQ(wants(*only_v6, x), v6) << x.name << v6;
      EXPECT_FALSE(wants(*not_udp, x)) << x.name << v6;
    }
    for (const auto& x : framings(datagram(v6, 2050), v6)) {
      EXPECT_FALSE(wants(*port, x)) << x.name << v6;
    }
  }
}

TEST(BpfFilter, LeavesTagsToExpressionsThatNameThem) {
  const auto ip = datagram(false, 2049);
  const framing plain{1, "plain", support::ethernet(ip)};
  const framing tagged_7{1, "7", support::ethernet(ip, {7})};
  const framing tagged_8{1, "8", support::ethernet(ip, {8})};

  const auto vlan = filter("vlan 7 and port 2049");
  EXPECT_FALSE(wants(*vlan, plain));
  EXPECT_TRUE(wants(*vlan, tagged_7));
  EXPECT_FALSE(wants(*vlan, tagged_8));

  for (const auto* by_bytes :
       {"ether[12:2] = 0x8100", "link [12:2]=0x8100", "not ether[12:2] = 2048"}) {
    const auto f = filter(by_bytes);
    EXPECT_FALSE(wants(*f, plain)) << by_bytes;
    EXPECT_TRUE(wants(*f, tagged_7)) << by_bytes;
  }
  // The address is no offset: the tag goes.
  EXPECT_TRUE(wants(*filter("ether host 02:00:00:00:00:01 or port 2049"), tagged_7));
}

TEST(BpfFilter, MeasuresFramesWithoutTheirTags) {
  const auto ip = datagram(false, 2049);
  const auto length = std::to_string(ip.size() + 14);

  for (const auto& vlans : {std::vector<u16>{}, {7}, {100, 7}}) {
    const framing x{1, "", support::ethernet(ip, vlans)};
    EXPECT_TRUE(wants(*filter("len = " + length), x)) << vlans.size();
  }
}

TEST(BpfFilter, MayBeAskedAboutAPacketInsideAnother) {
  const auto f = filter("host 198.18.0.2 and port 2049");

  EXPECT_TRUE(wants(*f, {101, "inner", datagram(false, 2049)}));
  EXPECT_FALSE(wants(*f, {101, "inner", datagram(false, 2050)}));
}

TEST(BpfFilter, TakesCutFramesAsFarAsTheyGo) {
  const auto whole = support::ethernet(datagram(false, 2049), {100, 7});
  const auto f = filter("port 2049");
  // Two tags, 20 bytes of IP, 4 bytes of ports.
  for (std::size_t n = 0; n <= whole.size(); ++n)
    EXPECT_EQ(wants(*f, {1, "", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)}}),
              n >= 14 + 8 + 20 + 4)
        << n;
}

TEST(BpfFilter, GivesLibpcapsOwnMessage) {
  for (const auto* wrong : {"prot 2049", "port", "(", "host 1.2.3.4.5", "vlan 5000 frogs"}) {
    const auto f = compile_filter(wrong);
    ASSERT_FALSE(f) << wrong;
    EXPECT_THAT(f.error(), HasSubstr("is not understood: "));
    EXPECT_GT(f.error().size(), std::string("The filter \"\" is not understood: .").size() + 15);
  }
}

TEST(BpfFilter, SaysForWhichLinkTypeItCannotBeUsed) {
  const auto refusal = [](const std::string& expression, u32 link_type) {
    const auto f = filter(expression);
    packet p;
    p.link_type = link_type;
    const auto answer = f->wants(p);
    return answer ? std::string("taken") : answer.error();
  };

  EXPECT_THAT(refusal("vlan 7", 276), HasSubstr("link type 276: no VLAN support"));
  EXPECT_THAT(refusal("port 2049", 147), HasSubstr("link type 147: "));
  EXPECT_THAT(refusal("port 2049", 9999), HasSubstr("link type 9999: "));
  // And one that Ethernet has no use for, but others have.
  EXPECT_EQ(refusal("type mgt", 127), "taken");
}

} // namespace
