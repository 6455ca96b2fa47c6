#pragma once

#include "profiler/net/transport.hpp"

#include <array>
#include <vector>

namespace profiler::net {

/// What two captures of one packet have in common, and a packet that was sent again has not.
struct packet_print {
  u64 mix = 0;
  nanos age{0}; ///< until when a second one is a copy
};

/// Addresses, ports, sequence numbers, window, timestamps and length. With an IP identification the
/// checksum is left out, which hosts that leave it to their cards have only on one of their
/// interfaces; without, it tells acknowledgements with other SACK blocks apart. Without
/// identification and timestamps (IPv6 of some hosts) a retransmission looks like its original:
/// then only the next millisecond is believed to bring copies, as no retransmission is that early
/// on a path of such round trips. TTL and link addresses may differ: routers' ports are mirrored,
/// too.
[[nodiscard]] packet_print print_of(const ip_packet& ip, const tcp_segment& s) noexcept;

/// `d` with the first bytes of its payload: checksums may be absent.
[[nodiscard]] packet_print print_of(const ip_packet& ip, const udp_datagram& d) noexcept;

/// Of a fragment of an IP packet.
[[nodiscard]] packet_print print_of_fragment(const ip_packet& ip) noexcept;

/// Remembers the packets of the last 10 ms, as far as they have room: 32,768 of any flow, each set
/// of four replacing its oldest. Costs one cache line for a packet, whatever the traffic.
class duplicate_filter {
 public:
  /// True when the same packet was here within its age, before or (in files that are not in order)
  /// after it. Otherwise it is remembered.
  [[nodiscard]] bool seen(const packet_print& p, nanos at) noexcept {
    const auto fresh = entry_of(p, at);
    const auto age = static_cast<u32>(p.age.count() >> time_shift);
    for (const auto& e : sets_[set_of(p)])
      if (e.tag == fresh.tag && fresh.at - e.at + age <= 2 * age) return true;
    put(set_of(p), fresh);
    return false;
  }

  /// Of a packet that is known to be no copy: nothing waits for the cache line.
  void remember(const packet_print& p, nanos at) noexcept { put(set_of(p), entry_of(p, at)); }

  /// Gets what seen() will look at into the cache.
  void prefetch(const packet_print& p) const noexcept { __builtin_prefetch(&sets_[set_of(p)], 1); }

 private:
  static constexpr unsigned set_bits = 13;
  /// 2^10 ns: a time wraps after 73 minutes, and then needs an equal tag to be taken for now.
  static constexpr unsigned time_shift = 10;

  struct entry {
    u32 tag = 0;
    u32 at = 0;
  };
  struct alignas(32) set : std::array<entry, 4> {};

  static std::size_t set_of(const packet_print& p) noexcept { return p.mix >> (64 - set_bits); }
  static entry entry_of(const packet_print& p, nanos at) noexcept {
    return {static_cast<u32>(p.mix) | 1, // 0 is nobody's
            static_cast<u32>(static_cast<u64>(at.count()) >> time_shift)};
  }
  void put(std::size_t at, entry fresh) noexcept {
    auto& entries = sets_[at];
    entries = {fresh, entries[0], entries[1], entries[2]};
  }

  std::vector<set> sets_ = std::vector<set>(std::size_t{1} << set_bits);
};

} // namespace profiler::net
