#pragma once

#include "profiler/capture/packet.hpp"
#include "profiler/net/duplicates.hpp"
#include "profiler/net/fragments.hpp"
#include "profiler/net/tcp_table.hpp"

namespace profiler::net {

/// Takes a capture's packets and drives a transport_consumer with ordered bytes and datagrams.
/// Tunnels are taken off, up to `tunnels_max` in each other. Flows are told apart by their
/// innermost addresses and ports alone, not by VLAN or tunnel: a mirror port shows one packet
/// before and after a router, with and without a tag, and both are of one connection. Networks that
/// use the same addresses in different VLANs or VNIs have to be captured apart. One thread, no
/// clock: time is what the packets say. Memory is bounded by `limits`.
class dispatcher {
 public:
  static constexpr int tunnels_max = 8;

  explicit dispatcher(transport_consumer& to, const limits& l = {});
  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;
  ~dispatcher() = default;

  void packet(const profiler::packet& p);

  /// Ends every connection with the last packet's time. To be called once, behind the last packet.
  void finish();

  [[nodiscard]] const net::counters& counts() const noexcept { return counters_; }
  /// Bytes that wait behind holes of TCP streams at present.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return tcp_.held_bytes(); }

 private:
  // By reference: seven words of arguments go through memory, and to read a stamp that was just
  // written in two halves costs more than to look at it where it is.
  void network(const link::network_packet& n, const stamp& at);
  void not_ip(const link::network_packet& n, stamp at);
  void fragment(const ip_packet& ip, stamp at);
  void transport(const ip_packet& ip, bytes payload, u32 wire_length, const stamp& first,
                 const stamp& last);
  void tcp(const ip_packet& ip, bytes payload, u32 wire_length, const stamp& at);
  void udp(const ip_packet& ip, bytes payload, u32 wire_length, stamp first, stamp last);
  void other(const ip_packet& ip, bytes payload, u32 wire_length, stamp at);
  bool open_tunnel(link::unwrap_function unwrap, link::packet_part outer, stamp at);
  bool is_rdma_or_quic(const ip_packet& ip, const udp_datagram& d) noexcept;
  bool is_duplicate(const packet_print& print, stamp at) noexcept;
  bool refuse(header_state state, u64& bad) noexcept;

  transport_consumer& to_;
  net::counters counters_;
  duplicate_filter duplicates_;
  fragment_table fragments_;
  tcp_table tcp_;
  const link::layer* layer_ = nullptr; ///< of the last packet: nearly always the next one's too
  link::wrapping wrapping_;            ///< of the present packet, as far as it is unwrapped
  int tunnels_ = 0;
  stamp last_;
};

} // namespace profiler::net
