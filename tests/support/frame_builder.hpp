#pragma once

#include "profiler/net/consumer.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

/// Frames for tests, written field by field from RFC 791, 8200, 9293, 768 and the link headers'
/// descriptions; nothing here uses the code under test.
namespace support {

using profiler::net::endpoint;
using wire::bytes;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;
using byte_vector = std::vector<std::byte>;

namespace detail {

template <class T>
void put(byte_vector& out, T value, bool big_endian) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const auto shift = 8 * (big_endian ? sizeof(T) - 1 - i : i);
    out.push_back(static_cast<std::byte>((static_cast<u64>(value) >> shift) & 0xff));
  }
}

template <class T>
void put_be(byte_vector& out, T value) {
  put(out, value, true);
}

inline void append(byte_vector& out, bytes data) {
  out.insert(out.end(), data.begin(), data.end());
}

inline u32 sum16(bytes data, u32 sum = 0) {
  for (std::size_t i = 0; i < data.size(); ++i)
    sum += std::to_integer<u32>(data[i]) << (i % 2 == 0 ? 8 : 0);
  return sum;
}

inline u16 fold(u32 sum) {
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<u16>(~sum);
}

} // namespace detail

/// v4(198, 18, 1, 2, 2049) in the IPv6-mapped form that flow keys use.
inline endpoint v4(u8 a, u8 b, u8 c, u8 d, u16 port) {
  return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, port};
}

/// fd00::<last>
inline endpoint v6(u8 last, u16 port) {
  return {{0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}, port};
}

inline bool is_v4(const endpoint& e) {
  return std::all_of(e.address.begin(), e.address.begin() + 10, [](u8 b) { return b == 0; }) &&
         e.address[10] == 0xff && e.address[11] == 0xff;
}

inline bytes address_bytes(const endpoint& e) {
  return is_v4(e) ? std::as_bytes(std::span(e.address)).subspan(12)
                  : std::as_bytes(std::span(e.address));
}

/// Deterministic payload: byte i of the stream that starts at `start` is always the same.
inline byte_vector pattern(std::size_t n, u64 start = 0) {
  byte_vector out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = (start + i) * 0x9E3779B97F4A7C15u;
    out[i] = static_cast<std::byte>(x >> 56);
  }
  return out;
}

struct ip_fields {
  u8 ttl = 64;
  u16 id = 0;
  u16 fragment = 0;                  ///< IPv4 flags and offset as they stand in the header
  std::optional<u16> total_length{}; ///< instead of the true one (0 on offloaded frames)
};

/// An IP packet of either version around `payload`, by the kind of the addresses.
inline byte_vector ip(const endpoint& from, const endpoint& to, u8 protocol, bytes payload,
                      const ip_fields& f = {}) {
  using namespace detail;
  byte_vector out;
  if (is_v4(from)) {
    put_be<u16>(out, 0x4500);
    put_be<u16>(out, f.total_length.value_or(static_cast<u16>(20 + payload.size())));
    put_be<u16>(out, f.id);
    put_be<u16>(out, f.fragment);
    put_be<u8>(out, f.ttl);
    put_be<u8>(out, protocol);
    put_be<u16>(out, 0);
    append(out, address_bytes(from));
    append(out, address_bytes(to));
    const auto checksum = fold(sum16(out));
    out[10] = static_cast<std::byte>(checksum >> 8);
    out[11] = static_cast<std::byte>(checksum & 0xff);
  } else {
    put_be<u32>(out, 0x60000000);
    put_be<u16>(out, f.total_length.value_or(static_cast<u16>(payload.size())));
    put_be<u8>(out, protocol);
    put_be<u8>(out, f.ttl);
    append(out, address_bytes(from));
    append(out, address_bytes(to));
  }
  append(out, payload);
  return out;
}

namespace detail {

/// Writes the checksum over pseudo header and segment at `position` of the segment.
inline void checksum_segment(byte_vector& segment, const endpoint& from, const endpoint& to,
                             u8 protocol, std::size_t position) {
  auto sum = sum16(address_bytes(from), sum16(address_bytes(to)));
  sum += protocol + static_cast<u32>(segment.size());
  const auto checksum = fold(sum16(segment, sum));
  segment[position] = static_cast<std::byte>(checksum >> 8);
  segment[position + 1] = static_cast<std::byte>(checksum & 0xff);
}

} // namespace detail

namespace tcp_flag {
inline constexpr u8 fin = 1, syn = 2, rst = 4, psh = 8, ack = 16;
} // namespace tcp_flag

struct tcp_fields {
  u32 seq = 0;
  u32 ack = 0;
  u8 flags = tcp_flag::ack;
  u16 window = 65535;
  std::optional<u16> mss{};
  std::optional<u8> window_scale{};
  bool sack_permitted = false;
  std::optional<std::pair<u32, u32>> timestamps{}; ///< TSval, TSecr
  ip_fields ip{};
};

/// An IP packet with one TCP segment.
inline byte_vector tcp(const endpoint& from, const endpoint& to, const tcp_fields& f,
                       bytes payload = {}) {
  using namespace detail;
  byte_vector options;
  if (f.mss) {
    put_be<u16>(options, 0x0204);
    put_be<u16>(options, *f.mss);
  }
  if (f.sack_permitted) put_be<u32>(options, 0x01010402);
  if (f.window_scale) {
    put_be<u16>(options, 0x0103);                                     // NOP, kind 3
    put_be<u16>(options, static_cast<u16>(0x0300 | *f.window_scale)); // length 3, shift
  }
  if (f.timestamps) {
    put_be<u32>(options, 0x0101080a);
    put_be<u32>(options, f.timestamps->first);
    put_be<u32>(options, f.timestamps->second);
  }
  byte_vector segment;
  put_be<u16>(segment, from.port);
  put_be<u16>(segment, to.port);
  put_be<u32>(segment, f.seq);
  put_be<u32>(segment, f.ack);
  put_be<u8>(segment, static_cast<u8>((5 + options.size() / 4) << 4));
  put_be<u8>(segment, f.flags);
  put_be<u16>(segment, f.window);
  put_be<u32>(segment, 0);
  append(segment, options);
  append(segment, payload);
  checksum_segment(segment, from, to, 6, 16);
  return ip(from, to, 6, segment, f.ip);
}

/// An IP packet with one UDP datagram.
inline byte_vector udp(const endpoint& from, const endpoint& to, bytes payload,
                       const ip_fields& f = {}) {
  using namespace detail;
  byte_vector segment;
  put_be<u16>(segment, from.port);
  put_be<u16>(segment, to.port);
  put_be<u16>(segment, static_cast<u16>(8 + payload.size()));
  put_be<u16>(segment, 0);
  append(segment, payload);
  checksum_segment(segment, from, to, 17, 6);
  return ip(from, to, 17, segment, f);
}

inline u16 ether_type_of(bytes ip_packet) {
  return std::to_integer<u8>(ip_packet[0]) >> 4 == 6 ? 0x86dd : 0x0800;
}

/// Ethernet II around an IP packet, with a tag for each of `vlans`, padded to 60 bytes.
inline byte_vector ethernet(bytes ip_packet, const std::vector<u16>& vlans = {},
                            std::optional<u16> ether_type = {}) {
  using namespace detail;
  byte_vector out;
  put_be<u64>(out, 0x0200'0000'0001'0200); // the two addresses
  put_be<u32>(out, 0x0000'0002);
  for (std::size_t i = 0; i < vlans.size(); ++i) {
    put_be<u16>(out, i + 1 < vlans.size() ? 0x88a8 : 0x8100);
    put_be<u16>(out, vlans[i]);
  }
  put_be<u16>(out, ether_type.value_or(ether_type_of(ip_packet)));
  append(out, ip_packet);
  if (out.size() < 60) out.resize(60);
  return out;
}

/// Linux cooked capture v1 (LINKTYPE_LINUX_SLL, 113).
inline byte_vector linux_sll(bytes ip_packet) {
  using namespace detail;
  byte_vector out;
  put_be<u16>(out, 0); // to us
  put_be<u16>(out, 1); // ARPHRD_ETHER
  put_be<u16>(out, 6);
  put_be<u64>(out, 0x0200000000010000);
  put_be<u16>(out, ether_type_of(ip_packet));
  append(out, ip_packet);
  return out;
}

/// Linux cooked capture v2 (LINKTYPE_LINUX_SLL2, 276).
inline byte_vector linux_sll2(bytes ip_packet) {
  using namespace detail;
  byte_vector out;
  put_be<u16>(out, ether_type_of(ip_packet));
  put_be<u16>(out, 0);
  put_be<u32>(out, 3); // interface index
  put_be<u16>(out, 1); // ARPHRD_ETHER
  put_be<u8>(out, 0);
  put_be<u8>(out, 6);
  put_be<u64>(out, 0x0200000000010000);
  append(out, ip_packet);
  return out;
}

/// BSD loopback (LINKTYPE_NULL, 0): the family in the capturing host's byte order.
inline byte_vector null_loopback(bytes ip_packet, bool big_endian = false) {
  byte_vector out;
  detail::put<u32>(out, ether_type_of(ip_packet) == 0x0800 ? 2 : 30, big_endian);
  detail::append(out, ip_packet);
  return out;
}

} // namespace support
