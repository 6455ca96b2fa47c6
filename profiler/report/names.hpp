#pragma once

#include "profiler/analysis/result.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What the reports have in common, whatever their format.
namespace profiler::report {

/// "EN10MB", "LINUX_SLL2"; the number where it has no name here.
[[nodiscard]] std::string link_type_name(wire::u32 type);

/// "handshake", "data_ack", "timestamp_echo", "none".
[[nodiscard]] std::string_view rtt_source_text(net::rtt_source source) noexcept;

/// "client", "server", "none".
[[nodiscard]] std::string_view unseen_side_text(net::unseen_side side) noexcept;

/// "nfs3", "mount nfs3".
[[nodiscard]] std::string protocols_text(wire::u32 protocols);

[[nodiscard]] bool has_protocol(const flow::connection& c, wire::protocol p) noexcept;

/// "sys", "sys krb5i", "tls": what NFS calls were protected by; empty where none was seen.
[[nodiscard]] std::string security_text(const flow::connection& c);

/// What either side can send: the smaller of both announcements, else the largest segment seen.
[[nodiscard]] wire::u32 mss_of(const net::tcp_facts& tcp) noexcept;

/// "think", "server: nfs3 CREATE".
[[nodiscard]] std::string attribution_name(const timing::attribution::row& row);

struct costed_operation {
  analysis::operation_key key;
  const analysis::operation_stats* stats;
  double seconds; ///< of the wall time
};

/// The most expensive first.
[[nodiscard]] std::vector<costed_operation> by_seconds(const analysis::operation_table& operations,
                                                       const timing::attribution& wall);

} // namespace profiler::report
