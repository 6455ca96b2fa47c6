#pragma once

#include <expected>
#include <string>

namespace profiler::capture {

/// The interface over which this host reaches `address` (an IPv4 or IPv6 address in digits, with
/// %scope if it needs one): what to capture on. Nothing is sent.
/// · errors: sentences: no address, no route, no interface.
[[nodiscard]] std::expected<std::string, std::string> interface_towards(const std::string& address);

} // namespace profiler::capture
