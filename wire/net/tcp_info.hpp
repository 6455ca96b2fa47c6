#pragma once

#include "wire/bytes.hpp"

#include <optional>

namespace wire::net {

/// The smallest round trip that the kernel has measured on a TCP socket (TCP_INFO, µs precision);
/// nothing as long as it has no sample.
[[nodiscard]] std::optional<nanos> tcp_round_trip_min(int socket) noexcept;

} // namespace wire::net
