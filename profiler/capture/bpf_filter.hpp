#pragma once

#include "profiler/capture/packet_filter.hpp"

#include <memory>

namespace profiler::capture {

/// A filter in libpcap's language (pcap-filter(7)), compiled once for each link type.
/// An expression that speaks of what stands between the link header and IP (vlan, mpls, pppoed,
/// pppoes, geneve, vxlan, ether[…], link[…]) is asked about frames as they are, and libpcap has
/// vlan on Ethernet only. Any other is asked about the frame without its 802.1Q tags, so that
/// "port 2049" finds tagged frames too. Loopback frames (NULL, LOOP) of any BSD and of either byte
/// order are brought into the form for which libpcap compiles on this host.
/// · errors: a sentence with libpcap's own message when no link type has a use for the expression.
[[nodiscard]] std::expected<std::unique_ptr<packet_filter>, std::string>
compile_filter(const std::string& expression);

} // namespace profiler::capture
