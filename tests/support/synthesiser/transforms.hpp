#pragma once

#include "tests/support/synthesiser/traffic.hpp"

/// What can happen to traffic between who sent it and the file. They compose:
///   scenario | snap(96) | vlan(7) | duplicate(3us)
/// Those that cut or join segments must come before those that lose or reorder them.
namespace support {

// How the sender, or its network card, cut the streams. Times stay those of the bytes.

/// No segment is longer than `mss`; what one segment brought still comes at one time.
[[nodiscard]] transform segment(std::size_t mss);
/// Cuts at random places, pieces of 1 to `longest` bytes.
[[nodiscard]] transform split_randomly(unsigned seed, std::size_t longest);
/// Neighbours of one direction with no more than `pause` between them become one, up to `longest`
/// bytes and not beyond a PSH, stamped when the first was: what a host captures that leaves cutting
/// to its card.
[[nodiscard]] transform coalesce(std::size_t longest, nanos pause);
/// RPC records come in fragments of random lengths, some of 0 bytes, the last one of which may be
/// empty too (RFC 5531 section 11). All sequence numbers move accordingly; each mark travels with
/// the byte that follows, the mark of an empty last fragment with the byte before.
[[nodiscard]] transform fragment_records(unsigned seed);
/// Both directions pass sequence number 0 behind `sent` bytes.
[[nodiscard]] transform wrap_sequence_after(u32 sent);
/// IPv6 addresses instead of IPv4 ones.
[[nodiscard]] transform over_ipv6();

// How it was captured.

[[nodiscard]] transform snap(std::size_t length);
[[nodiscard]] transform vlan(u16 tag);
[[nodiscard]] transform qinq(u16 outer, u16 inner);
[[nodiscard]] transform link(u32 link_type);
/// Packet after packet goes to the next of these; `interface` is numbered by place.
[[nodiscard]] transform spread_over(std::vector<encapsulation> interfaces);
/// Each frame once more, `after` later. `routed`: with other Ethernet addresses and a TTL one
/// lower, as a mirror of both sides of a router gives them.
[[nodiscard]] transform duplicate(nanos after, bool routed = false);
/// Stored out of order: each packet up to `within` later than its time says.
[[nodiscard]] transform shuffle(nanos within, unsigned seed);

// What the capture lacks.

[[nodiscard]] transform drop(std::size_t index);
[[nodiscard]] transform drop_if(std::function<bool(const sent_packet&, std::size_t index)> lost);
/// Those with first <= index < end.
[[nodiscard]] transform drop_range(std::size_t first, std::size_t end);
[[nodiscard]] transform start_at(std::size_t index);
[[nodiscard]] transform from_client_only();
[[nodiscard]] transform from_server_only();

// What the network did.

/// The packet is seen twice, the second time `after` later with another IP identification: it was
/// lost behind the capture point.
[[nodiscard]] transform retransmit(std::size_t index, nanos after);

} // namespace support
