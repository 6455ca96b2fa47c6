#pragma once

#include "profiler/net/consumer.hpp"

#include <string_view>

namespace profiler::timing {

/// Where between client and server the packets were captured, as far as they show it. At the client
/// `think` is the client's own and the whole round trip lies in `network`; at the server it is the
/// other way round.
enum class capture_point : wire::u8 { unknown, client, between, server };

[[nodiscard]] std::string_view to_string(capture_point p) noexcept;

/// By the round trips to either side where both are known, else by the hops that the times to live
/// of the first packets tell. Two hosts on one wire with the capture between them, and no
/// handshake: unknown.
[[nodiscard]] capture_point capture_point_of(const net::tcp_facts& tcp) noexcept;

} // namespace profiler::timing
