#pragma once

#include "tests/support/frame_builder.hpp"

#include <functional>

/// Traffic for tests: what was sent and when, before anything is decided about how it was captured.
/// Transformations (transforms.hpp) turn one traffic into another; files.hpp makes captures of it.
namespace support {

/// A frame and when it was seen. `wire_length` 0: as long as `data`.
struct timed_frame {
  nanos at{};
  byte_vector data{};
  u32 wire_length = 0;
};

/// How the capture point saw a packet.
struct encapsulation {
  u32 link_type = 1;
  std::vector<u16> vlans{};
  std::size_t snap_length = 0; ///< 0: nothing is cut
  u32 interface = 0;           ///< in a pcapng file
  bool routed = false;         ///< Ethernet addresses of the next hop
};

/// A TCP segment or a UDP datagram.
struct sent_packet {
  nanos at{};
  bool from_client = true;
  endpoint from;
  endpoint to;
  bool is_tcp = true;
  tcp_fields fields{}; ///< of UDP only `ip` counts
  byte_vector payload{};
  encapsulation capture{};

  [[nodiscard]] const endpoint& client() const { return from_client ? from : to; }
  [[nodiscard]] const endpoint& server() const { return from_client ? to : from; }
};

/// In the order of the capture.
struct traffic {
  std::vector<sent_packet> packets;
};

using transform = std::function<traffic(traffic)>;

inline traffic operator|(traffic t, const transform& f) {
  return f(std::move(t));
}

/// Several at once, by time.
inline traffic merged(std::vector<traffic> parts) {
  traffic out;
  for (auto& t : parts)
    std::move(t.packets.begin(), t.packets.end(), std::back_inserter(out.packets));
  std::stable_sort(out.packets.begin(), out.packets.end(),
                   [](const sent_packet& a, const sent_packet& b) { return a.at < b.at; });
  return out;
}

namespace detail {

inline byte_vector link_frame(const sent_packet& p) {
  const auto packet =
      p.is_tcp ? tcp(p.from, p.to, p.fields, p.payload) : udp(p.from, p.to, p.payload, p.fields.ip);
  switch (p.capture.link_type) {
  case 0:
    return null_loopback(packet);
  case 108:
    return null_loopback(packet, true);
  case 113:
    return linux_sll(packet);
  case 276:
    return linux_sll2(packet);
  case 101:
    return packet;
  default:
    break;
  }
  auto frame = ethernet(packet, p.capture.vlans);
  if (p.capture.routed) frame[5] ^= std::byte{0xff};
  return frame;
}

} // namespace detail

[[nodiscard]] inline timed_frame frame_of(const sent_packet& p) {
  timed_frame out{p.at, detail::link_frame(p), 0};
  const auto snap = p.capture.snap_length;
  if (snap == 0 || snap >= out.data.size()) return out;
  out.wire_length = static_cast<u32>(out.data.size());
  out.data.resize(snap);
  return out;
}

[[nodiscard]] std::vector<timed_frame> frames_of(const traffic& t);

/// One message of a traffic in which nothing is missing and everything is in order, found by its
/// framing and nothing else: the truth that an analysis is compared with.
struct sent_message {
  endpoint client;
  endpoint server;
  bool from_client = true;
  bool is_call = true;
  bool interim = false;          ///< STATUS_PENDING
  u64 id = 0;                    ///< xid or MessageId
  u32 bytes = 0;                 ///< of the whole message, marks or prefix included
  std::vector<std::size_t> in{}; ///< indices of its packets
  nanos first{};
  nanos last{};
};

/// Each command of a compound is one. Connections of port 445 speak SMB2, all others RPC.
[[nodiscard]] std::vector<sent_message> messages_of(const traffic& t);

/// A request and its reply, by the truth.
struct sent_exchange {
  const sent_message* call = nullptr;
  const sent_message* reply = nullptr; ///< nullptr: there is none
};

/// In the order of the calls; interim replies are left out. Ids must not repeat on a connection.
[[nodiscard]] std::vector<sent_exchange> exchanges_of(const std::vector<sent_message>& messages);

} // namespace support
