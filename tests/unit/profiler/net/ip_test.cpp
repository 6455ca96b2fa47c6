#include "recorder.hpp"
#include "wire/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using profiler::link::network_packet;
using profiler::net::header_state;
using profiler::net::ip_packet;
using profiler::net::parse_ip;
using recorded::play;
using recorded::recorder;
using support::byte_vector;
using support::timed_frame;
using testing::SizeIs;
using wire::bytes;
using wire::nanos;
using wire::u16;
using wire::u32;

const auto client = support::v4(198, 18, 0, 1, 741);
const auto server = support::v4(198, 18, 0, 2, 2049);

network_packet network(bytes data, u16 protocol = 0x0800) {
  return {.protocol = protocol, .data = data, .wire_length = static_cast<u32>(data.size())};
}

TEST(Ipv4, IgnoresThePaddingOfShortFrames) {
  // 46 bytes of Ethernet payload, of which IP says that 32 are its own: 20 + UDP 8 + 4.
  const auto data = wire::from_hex("45000020 00010000 40110000 c6120001 c6120002"
                                   "02e50801 000c0000 11223344 00000000 00000000 00000000 0000")
                        .value();
  ip_packet ip;

  ASSERT_EQ(parse_ip(network(data), ip), header_state::ok);

  EXPECT_EQ(ip.payload.size(), 12u);
  EXPECT_EQ(ip.payload_wire_length, 12u);
  EXPECT_EQ(ip.protocol, 17);
  EXPECT_EQ(ip.ttl, 64);
  EXPECT_EQ(profiler::net::text_of(ip.from), "198.18.0.1:0");
  EXPECT_FALSE(ip.fragment);
}

TEST(Ipv4, TakesTheFramesLengthWhenItsOwnIsZero) {
  const auto data =
      support::tcp(client, server, {.ip = {.total_length = u16{0}}}, support::pattern(70'000));
  ip_packet ip;

  ASSERT_EQ(parse_ip(network(data), ip), header_state::ok);

  EXPECT_TRUE(ip.length_missing);
  EXPECT_EQ(ip.payload_wire_length, 70'020u);
}

TEST(Ipv4, RefusesHeadersThatContradictThemselves) {
  const auto state_of = [](std::string_view hex, u32 wire_length = 0) {
    const auto data = wire::from_hex(hex).value();
    auto in = network(data);
    if (wire_length != 0) in.wire_length = wire_length;
    ip_packet ip;
    return parse_ip(in, ip);
  };
  const std::string rest = "00010000 40110000 c6120001 c6120002";

  EXPECT_EQ(state_of("45000014" + rest), header_state::ok);
  EXPECT_EQ(state_of("44000014" + rest), header_state::bad); // header of 16 bytes
  EXPECT_EQ(state_of("65000014" + rest), header_state::bad); // version 6 in a v4 frame
  EXPECT_EQ(state_of("45000013" + rest), header_state::bad); // shorter than its header
  EXPECT_EQ(state_of("46000018" + rest), header_state::bad); // options behind the end
  EXPECT_EQ(state_of("46000018" + rest, 60), header_state::cut);
  EXPECT_EQ(state_of("450000"), header_state::bad);
  EXPECT_EQ(state_of("450000", 60), header_state::cut);
}

TEST(Ipv6, PassesOverExtensionHeaders) {
  // Hop-by-hop (8 bytes), destination options (16 bytes), then UDP.
  const auto data =
      wire::from_hex("60000000 0024 00 40"
                     "fd000000000000000000000000000001 fd000000000000000000000000000002"
                     "3c00 010400000000" // next: destination options
                     "1101 010c 000000000000000000000000"
                     "02e50801 000c0000 11223344")
          .value();
  ip_packet ip;

  ASSERT_EQ(parse_ip(network(data, 0x86dd), ip), header_state::ok);

  EXPECT_EQ(ip.protocol, 17);
  EXPECT_EQ(ip.payload_wire_length, 12u);
  EXPECT_EQ(ip.header_bytes, 64u);
  EXPECT_EQ(profiler::net::text_of(ip.from), "[fd00::1]:0");
}

TEST(Ipv6, RefusesEndlessExtensionHeaders) {
  byte_vector data = wire::from_hex("60000000 0100 00 40"
                                    "fd000000000000000000000000000001"
                                    "fd000000000000000000000000000002")
                         .value();
  for (int i = 0; i < 32; ++i)
    support::detail::put_be<wire::u64>(data, 0); // hop-by-hop behind hop-by-hop
  ip_packet ip;

  EXPECT_EQ(parse_ip(network(data, 0x86dd), ip), header_state::bad);
}

TEST(Ip, RefusesEveryTruncationOfItsHeadersWithoutReadingBehindThem) {
  for (const bool six : {false, true}) {
    const auto whole = six ? support::udp(support::v6(1, 800), support::v6(2, 2049), {})
                           : support::udp(client, server, {});
    const std::size_t header = six ? 40 : 20;
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const byte_vector cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      auto in = network(cut, six ? 0x86dd : 0x0800);
      in.wire_length = static_cast<u32>(whole.size());
      ip_packet ip;
      EXPECT_EQ(parse_ip(in, ip), n < header ? header_state::cut : header_state::ok) << n;
    }
  }
}

/// The fragments of an IPv4 UDP datagram, `size` bytes of IP payload each, a millisecond apart.
std::vector<timed_frame> fragments(bytes payload, std::size_t size, u16 id) {
  const auto whole = support::udp(client, server, payload);
  const auto data = bytes(whole).subspan(20);
  std::vector<timed_frame> out;
  for (std::size_t at = 0; at < data.size(); at += size) {
    const auto n = std::min(size, data.size() - at);
    const auto more = at + n < data.size() ? 0x2000 : 0;
    out.push_back({nanos{1'000'000} * static_cast<int>(out.size() + 1),
                   support::ethernet(support::ip(
                       client, server, 17, data.subspan(at, n),
                       {.id = id, .fragment = static_cast<u16>(more | static_cast<int>(at / 8))})),
                   0});
  }
  return out;
}

TEST(Fragments, AreOneDatagramInWhateverOrderTheyCome) {
  const auto payload = support::pattern(8000);
  auto frames = fragments(payload, 1480, 5);
  ASSERT_EQ(frames.size(), 6u);
  std::sort(frames.begin(), frames.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  int orders = 0;
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  do {
    std::vector<timed_frame> shuffled;
    for (const auto i : order)
      shuffled.push_back(frames[i]);
    recorder to;
    const auto counts = play(shuffled, to);
    ASSERT_THAT(to.datagrams, SizeIs(1));
    ASSERT_EQ(to.datagrams[0].data, payload);
    ASSERT_EQ(to.datagrams[0].wire_length, 8000u);
    ASSERT_EQ(to.datagrams[0].first.time, nanos{1'000'000});
    ASSERT_EQ(to.datagrams[0].last.time, nanos{6'000'000});
    ASSERT_EQ(counts.fragmented_datagrams, 1u);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 720);
}

TEST(Fragments, KeepTheFirstCopyOfWhatOverlaps) {
  const auto payload = support::pattern(3000);
  auto frames = fragments(payload, 1480, 5);
  // The middle of the datagram comes again, with other bytes, before its end does.
  byte_vector other(1480, std::byte{0xee});
  frames.insert(frames.begin() + 2,
                {nanos{2'500'000},
                 support::ethernet(
                     support::ip(client, server, 17, other, {.id = 5, .fragment = 0x2000 | 100})),
                 0});
  recorder to;

  play(frames, to);

  ASSERT_THAT(to.datagrams, SizeIs(1));
  EXPECT_EQ(to.datagrams[0].data, payload);
}

TEST(Fragments, KeepTheirLengthWhenTheSnapLengthCutsThem) {
  auto frames = fragments(support::pattern(8000), 1480, 5);
  for (auto& f : frames) {
    f.wire_length = static_cast<u32>(f.data.size());
    f.data.resize(100);
  }
  recorder to;

  play(frames, to);

  ASSERT_THAT(to.datagrams, SizeIs(1));
  EXPECT_EQ(to.datagrams[0].wire_length, 8000u);
  EXPECT_EQ(to.datagrams[0].data, support::pattern(100 - 14 - 20 - 8));
}

TEST(Fragments, AreCountedWhenSomeAreMissing) {
  const auto payload = support::pattern(8000);
  for (std::size_t missing = 0; missing < 6; ++missing) {
    auto frames = fragments(payload, 1480, 5);
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(missing));
    recorder to;

    const auto counts = play(frames, to);

    EXPECT_THAT(to.datagrams, SizeIs(0)) << missing;
    EXPECT_EQ(counts.fragments, 5u);
    EXPECT_EQ(counts.incomplete_datagrams, 1u);
  }
}

TEST(Fragments, OfLongAgoDoNotMixWithTheSameIdentification) {
  const auto old = fragments(support::pattern(8000, 1), 1480, 5);
  auto frames = fragments(support::pattern(8000, 2), 1480, 5);
  for (auto& f : frames)
    f.at += std::chrono::seconds(31);
  frames.insert(frames.begin(), old[0]);
  recorder to;

  const auto counts = play(frames, to);

  ASSERT_THAT(to.datagrams, SizeIs(1));
  EXPECT_EQ(to.datagrams[0].data, support::pattern(8000, 2));
  EXPECT_EQ(counts.incomplete_datagrams, 1u);
}

TEST(Fragments, StayWithinTheirMemory) {
  profiler::net::limits l;
  l.datagrams = 8;
  l.datagrams_bytes = 20'000;
  std::vector<timed_frame> frames;
  for (u16 id = 0; id < 100; ++id)
    frames.push_back(fragments(support::pattern(8000), 1480, id)[0]);
  recorder to;

  const auto counts = play(frames, to, l);

  EXPECT_EQ(counts.datagrams_over_limit + counts.incomplete_datagrams, 100u);
  EXPECT_EQ(counts.incomplete_datagrams, 8u);
}

TEST(Fragments, BehindTheEndOfAnyDatagramAreRefused) {
  const auto frame = support::ethernet(
      support::ip(client, server, 17, support::pattern(1480), {.id = 5, .fragment = 0x1fff}));
  recorder to;

  const auto counts = play({{nanos{0}, frame, 0}}, to);

  EXPECT_EQ(counts.datagrams_over_limit, 1u);
}

TEST(Udp, GoesToTheServerByItsPort) {
  recorder to;
  const auto call = support::ethernet(support::udp(client, server, support::pattern(9)));
  const auto reply = support::ethernet(support::udp(server, client, support::pattern(5)));

  const auto counts = play({{nanos{1}, call, 0}, {nanos{2}, reply, 0}}, to);

  ASSERT_THAT(to.datagrams, SizeIs(2));
  EXPECT_EQ(to.datagrams[0].key, to.datagrams[1].key);
  EXPECT_EQ(to.datagrams[0].key.server.port, 2049);
  EXPECT_FALSE(to.datagrams[0].key.tcp);
  EXPECT_EQ(to.datagrams[0].way, recorded::direction::to_server);
  EXPECT_EQ(to.datagrams[1].way, recorded::direction::to_client);
  EXPECT_EQ(to.datagrams[0].data, support::pattern(9)); // not Ethernet's padding
  EXPECT_EQ(counts.udp_datagrams, 2u);
}

TEST(Dispatcher, CountsWhatItCannotUse) {
  const auto good = support::udp(client, server, support::pattern(9));
  auto bad_udp = good;
  bad_udp[25] = std::byte{200}; // longer than its packet
  auto bad_ip = good;
  bad_ip[0] = std::byte{0x41};
  const std::vector<timed_frame> frames{
      {nanos{1}, support::ethernet(good), 0},
      {nanos{2}, support::ethernet(good, {}, u16{0x0806}), 0},
      {nanos{3}, support::ethernet(bad_ip), 0},
      {nanos{4}, support::ethernet(bad_udp), 0},
      {nanos{5}, support::ethernet(support::ip(client, server, 1, support::pattern(8))), 0},
      {nanos{6}, byte_vector(10), 60},
      {nanos{7}, {}, 60}};
  recorder to;

  const auto counts = play(frames, to);
  const auto unknown = play(frames, to, {}, 147);

  EXPECT_EQ(counts.frames, 7u);
  EXPECT_EQ(counts.udp_datagrams, 1u);
  EXPECT_EQ(counts.not_ip, 1u);
  EXPECT_EQ(counts.bad_ip, 1u);
  EXPECT_EQ(counts.bad_transport, 1u);
  EXPECT_EQ(counts.other_transport, 1u);
  EXPECT_EQ(counts.headers_cut, 2u);
  EXPECT_THAT(profiler::net::not_analysed(counts), SizeIs(5));
  EXPECT_EQ(unknown.unknown_link_type, 7u);
}

} // namespace
