#pragma once

#include "profiler/net/ip.hpp"

namespace profiler::net {

namespace ip_protocol {
inline constexpr u8 icmp = 1;
inline constexpr u8 icmp_v6 = 58;
} // namespace ip_protocol

/// What a router or host reports of a packet that it did not pass on.
enum class icmp_report : u8 {
  none,        ///< echoes, neighbours, …, or a packet that is none of our services'
  too_big,     ///< fragmentation needed and forbidden; packet too big
  unreachable, ///< all other reasons
};

/// Of a packet whose protocol is ICMP or ICMPv6; reports quote the first bytes of the packet that
/// they are about, whose ports tell if it is a service's.
/// · source: RFC 792, RFC 1191 section 4, RFC 4443 section 3
[[nodiscard]] icmp_report read_icmp(const ip_packet& ip) noexcept;

} // namespace profiler::net
