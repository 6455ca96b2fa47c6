#include "profiler/report/names.hpp"

#include "profiler/flow/operation_names.hpp"
#include "profiler/flow/rpc_programs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace profiler::report {

/// Numbers and names as in the list of link types of tcpdump.org.
std::string link_type_name(wire::u32 type) {
  switch (type) {
  case 0:
    return "NULL";
  case 1:
    return "EN10MB";
  case 9:
    return "PPP";
  case 50:
    return "PPP_HDLC";
  case 51:
    return "PPP_ETHER";
  case 101:
    return "RAW";
  case 104:
    return "C_HDLC";
  case 108:
    return "LOOP";
  case 113:
    return "LINUX_SLL";
  case 204:
    return "PPP_WITH_DIR";
  case 228:
    return "IPV4";
  case 229:
    return "IPV6";
  case 239:
    return "NFLOG";
  case 276:
    return "LINUX_SLL2";
  default:
    return fmt::format("LINKTYPE {}", type);
  }
}

std::string_view rtt_source_text(net::rtt_source source) noexcept {
  switch (source) {
  case net::rtt_source::none:
    return "none";
  case net::rtt_source::handshake:
    return "handshake";
  case net::rtt_source::data_ack:
    return "data_ack";
  case net::rtt_source::timestamp_echo:
    return "timestamp_echo";
  }
  return "none";
}

std::string_view unseen_side_text(net::unseen_side side) noexcept {
  switch (side) {
  case net::unseen_side::none:
    return "none";
  case net::unseen_side::client:
    return "client";
  case net::unseen_side::server:
    return "server";
  }
  return "none";
}

std::string protocols_text(wire::u32 protocols) {
  std::string out;
  for (unsigned bit = 0; bit < wire::protocol_count; ++bit) {
    if ((protocols >> bit & 1u) == 0) continue;
    if (!out.empty()) out += ' ';
    out += to_string(static_cast<wire::protocol>(bit));
  }
  return out;
}

bool has_protocol(const flow::connection& c, wire::protocol p) noexcept {
  return (c.protocols >> static_cast<unsigned>(p) & 1u) != 0;
}

std::string security_text(const flow::connection& c) {
  std::vector<std::string_view> out;
  if (c.tls) out.push_back("tls");
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((c.security >> bit & 1u) == 0) continue;
    const auto name = to_string(static_cast<flow::rpc_security>(bit));
    if (name != "none") out.push_back(name);
  }
  return fmt::format("{}", fmt::join(out, " "));
}

wire::u32 mss_of(const net::tcp_facts& tcp) noexcept {
  if (tcp.mss_client != 0 && tcp.mss_server != 0) return std::min(tcp.mss_client, tcp.mss_server);
  if (tcp.mss_client != 0 || tcp.mss_server != 0) return std::max(tcp.mss_client, tcp.mss_server);
  return tcp.offload_seen ? 0 : tcp.largest_segment;
}

std::string attribution_name(const timing::attribution::row& row) {
  if (row.what == timing::phase::think) return "think";
  return fmt::format("{}: {} {}", to_string(row.what), to_string(row.of.proto),
                     flow::operation_name(row.of));
}

std::vector<costed_operation> by_seconds(const analysis::operation_table& operations,
                                         const timing::attribution& wall) {
  std::vector<costed_operation> out;
  for (const auto& [key, stats] : operations.rows())
    out.push_back({key, &stats, wall.seconds(key)});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.stats->count > b.stats->count;
  });
  return out;
}

} // namespace profiler::report
