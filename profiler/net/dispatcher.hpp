#pragma once

#include "profiler/capture/packet.hpp"
#include "profiler/net/fragments.hpp"
#include "profiler/net/tcp_table.hpp"

namespace profiler::net {

/// Takes a capture's packets and drives a transport_consumer with ordered bytes and datagrams.
/// One thread, no clock: time is what the packets say. Memory is bounded by `limits`.
class dispatcher {
 public:
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
  void transport(const ip_packet& ip, bytes payload, u32 wire_length, stamp first, stamp last);
  void tcp(const ip_packet& ip, bytes payload, u32 wire_length, stamp at);
  void udp(const ip_packet& ip, bytes payload, u32 wire_length, stamp first, stamp last);
  bool refuse(header_state state, u64& bad) noexcept;

  transport_consumer& to_;
  net::counters counters_;
  fragment_table fragments_;
  tcp_table tcp_;
  const link::layer* layer_ = nullptr; ///< of the last packet: nearly always the next one's too
  stamp last_;
};

} // namespace profiler::net
