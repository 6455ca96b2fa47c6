#include "profiler/net/duplicates.hpp"

namespace profiler::net {

namespace {

constexpr nanos copy_age = std::chrono::milliseconds(10);
constexpr nanos doubtful_copy_age = std::chrono::milliseconds(1);

constexpr u64 stir(u64 mix, u64 more) noexcept {
  mix = (mix ^ more) * 0x9E3779B97F4A7C15u;
  return mix ^ mix >> 29;
}

u64 addresses_of(const ip_packet& ip) noexcept {
  u64 mix = 0;
  for (const auto* e : {&ip.from, &ip.to}) {
    const auto* at = std::as_bytes(std::span(e->address)).data();
    mix = mix * 3 + (wire::load_le<u64>(at) ^ wire::load_le<u64>(at + 8) * 0xD6E8FEB86659FD93u);
  }
  return mix;
}

} // namespace

packet_print print_of(const ip_packet& ip, const tcp_segment& s) noexcept {
  const bool identified = ip.id != 0;
  u64 mix = stir(addresses_of(ip), u64{s.seq} << 32 | s.ack);
  // With checksum offload the checksum covers addresses and length alone: the flags count by
  // themselves.
  const auto of_packet = (identified ? u64{ip.id} : u64{s.checksum}) << 16 ^ s.flags;
  mix = stir(mix, (u64{s.source_port} << 48 | u64{s.destination_port} << 32) ^ of_packet);
  mix = stir(mix, (u64{s.window} << 40 | s.payload_wire_length) ^ u64{s.ts_value} << 8);
  return {mix, identified || s.has_timestamps ? copy_age : doubtful_copy_age};
}

packet_print print_of(const ip_packet& ip, const udp_datagram& d) noexcept {
  u64 mix = stir(addresses_of(ip),
                 u64{d.source_port} << 48 | u64{d.destination_port} << 32 | d.payload_wire_length);
  mix = stir(mix, u64{ip.id} << 32 | (ip.id != 0 ? 0 : d.checksum));
  for (std::size_t at = 0; at < 16 && d.payload.size() >= at + 8; at += 8)
    mix = stir(mix, wire::load_le<u64>(d.payload.data() + at));
  return {mix, copy_age};
}

packet_print print_of_fragment(const ip_packet& ip) noexcept {
  u64 mix = stir(addresses_of(ip), u64{ip.id} << 32 | ip.fragment_offset);
  mix = stir(mix, u64{ip.payload_wire_length} << 16 | u64{ip.more_fragments} << 8 | ip.protocol);
  return {mix, copy_age};
}

} // namespace profiler::net
