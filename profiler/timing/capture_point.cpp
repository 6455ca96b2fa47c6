#include "profiler/timing/capture_point.hpp"

#include <array>
#include <optional>

namespace profiler::timing {

namespace {

/// Of the whole round trip: a host's own stack and its first cable take less.
constexpr double near_share = 0.15;

/// Routers that a packet passed since it was sent with one of the usual times to live.
std::optional<int> hops_of(wire::u8 ttl) noexcept {
  constexpr std::array initial{32, 64, 128, 255};
  if (ttl == 0) return std::nullopt;
  for (const int start : initial)
    if (ttl <= start) return start - ttl;
  return std::nullopt;
}

} // namespace

std::string_view to_string(capture_point p) noexcept {
  switch (p) {
  case capture_point::unknown:
    return "unknown";
  case capture_point::client:
    return "client";
  case capture_point::between:
    return "between";
  case capture_point::server:
    return "server";
  }
  return "unknown";
}

capture_point capture_point_of(const net::tcp_facts& tcp) noexcept {
  const auto client = static_cast<double>(tcp.client_side_rtt.count());
  const auto server = static_cast<double>(tcp.server_side_rtt.count());
  if (tcp.rtt_from != net::rtt_source::none && client > 0 && server > 0) {
    const auto share = client / (client + server);
    return share < near_share       ? capture_point::client
           : share > 1 - near_share ? capture_point::server
                                    : capture_point::between;
  }
  const auto from_client = hops_of(tcp.ttl_client);
  const auto from_server = hops_of(tcp.ttl_server);
  if (!from_client || !from_server || (*from_client == 0 && *from_server == 0))
    return capture_point::unknown;
  if (*from_client == 0) return capture_point::client;
  if (*from_server == 0) return capture_point::server;
  return capture_point::between;
}

} // namespace profiler::timing
