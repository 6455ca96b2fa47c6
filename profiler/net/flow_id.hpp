#pragma once

#include "profiler/net/consumer.hpp"

namespace profiler::net {

/// The two ends of a flow in a fixed order, so that both directions find the same entry.
struct flow_id {
  std::array<u64, 4> addresses{};
  u32 ports = 0;

  friend bool operator==(const flow_id&, const flow_id&) = default;
};

/// A flow as one of its packets shows it.
struct oriented_flow {
  flow_id id;
  bool from_first = false; ///< the sender is the first of the two ends in `id`
};

[[nodiscard]] inline oriented_flow flow_of(const endpoint& from, const endpoint& to) noexcept {
  struct words {
    u64 high;
    u64 low;
    u16 port;
    auto operator<=>(const words&) const = default;
  };
  const auto words_of = [](const endpoint& e) {
    const auto* at = std::as_bytes(std::span(e.address)).data();
    return words{wire::load_le<u64>(at), wire::load_le<u64>(at + 8), e.port};
  };
  const auto a = words_of(from);
  const auto b = words_of(to);
  const bool first = a < b;
  const auto& x = first ? a : b;
  const auto& y = first ? b : a;
  return {{{x.high, x.low, y.high, y.low}, u32{x.port} << 16 | y.port}, first};
}

struct flow_id_hash {
  [[nodiscard]] u64 operator()(const flow_id& id) const noexcept {
    u64 h = id.ports;
    for (const auto word : id.addresses) {
      h = (h ^ word) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h * 0xD6E8FEB86659FD93u;
  }
};

/// Portmap, NetBIOS session, SMB, NFS, mount: what our protocols' servers listen on.
[[nodiscard]] bool is_service_port(u16 port) noexcept;

/// Who is the client when no SYN tells: whoever does not have a service's port, else the higher
/// port, else the lower address, so that both directions give the same answer.
[[nodiscard]] bool is_client_by_port(const endpoint& e, const endpoint& peer) noexcept;

} // namespace profiler::net
