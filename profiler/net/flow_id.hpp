#pragma once

#include "profiler/net/consumer.hpp"

namespace profiler::net {

/// The two ends of a flow in a fixed order, so that both directions find the same entry.
struct flow_id {
  std::array<u64, 4> addresses{};
  u32 ports = 0;

  /// Without a branch: what it is compared with is nearly always equal.
  friend bool operator==(const flow_id& a, const flow_id& b) noexcept {
    u64 differ = a.ports ^ b.ports;
    for (std::size_t i = 0; i < a.addresses.size(); ++i)
      differ |= a.addresses[i] ^ b.addresses[i];
    return differ == 0;
  }
};

/// A flow as one of its packets shows it.
struct oriented_flow {
  flow_id id;
  bool from_first = false; ///< the sender is the first of the two ends in `id`
};

/// Which way a packet goes cannot be foreseen: the ends are exchanged without a branch.
[[nodiscard]] inline oriented_flow flow_of(const endpoint& from, const endpoint& to) noexcept {
  const auto* a = std::as_bytes(std::span(from.address)).data();
  const auto* b = std::as_bytes(std::span(to.address)).data();
  std::array<u64, 4> words{wire::load_le<u64>(a), wire::load_le<u64>(a + 8), wire::load_le<u64>(b),
                           wire::load_le<u64>(b + 8)};
  const auto high = words[0] ^ words[2];
  const auto low = words[1] ^ words[3];
  const u32 ports = u32{from.port} ^ u32 { to.port };
  const bool first = high != 0  ? words[0] < words[2]
                     : low != 0 ? words[1] < words[3]
                                : from.port < to.port;
  const u64 exchange = u64{first} - 1; // all ones, or none
  words[0] ^= high & exchange;
  words[2] ^= high & exchange;
  words[1] ^= low & exchange;
  words[3] ^= low & exchange;
  const u32 lower = from.port ^ (ports & static_cast<u32>(exchange));
  return {{words, lower << 16 | (lower ^ ports)}, first};
}

struct flow_id_hash {
  /// The words are multiplied side by side, not one behind another.
  [[nodiscard]] u64 operator()(const flow_id& id) const noexcept {
    u64 h = id.ports * 0xA24BAED4963EE407u;
    h ^= id.addresses[0] * 0x9E3779B97F4A7C15u;
    h ^= (id.addresses[1] ^ id.addresses[1] >> 32) * 0xC2B2AE3D27D4EB4Fu;
    h += id.addresses[2] * 0x165667B19E3779F9u;
    h ^= (id.addresses[3] ^ id.addresses[3] >> 32) * 0x27D4EB2F165667C5u;
    h ^= h >> 32;
    return h * 0xD6E8FEB86659FD93u;
  }
};

/// Portmap, NetBIOS session, SMB, NFS, mount: what our protocols' servers listen on.
[[nodiscard]] bool is_service_port(u16 port) noexcept;

/// Who is the client when no SYN tells: whoever does not have a service's port, else the higher
/// port, else the lower address, so that both directions give the same answer.
[[nodiscard]] bool is_client_by_port(const endpoint& e, const endpoint& peer) noexcept;

} // namespace profiler::net
