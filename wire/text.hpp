#pragma once

#include "wire/bytes.hpp"

#include <expected>
#include <string>
#include <string_view>

namespace wire {

/// "412 ns", "36.2 µs", "0.534 ms" up to "9.99 s" and above: three digits and the unit.
[[nodiscard]] std::string text_of(nanos t);

/// "10 KiB", "500 MiB", "1448 B": binary multiples where they are whole or above 10.
[[nodiscard]] std::string text_of_bytes(u64 n);

/// "6,998"
[[nodiscard]] std::string text_of_count(u64 n);

/// Sizes take k, m, g (1024): "10k" → 10240. The error says what was expected.
[[nodiscard]] std::expected<u64, std::string> parse_size(std::string_view text);

/// Times take ns, us, ms, s: "0.5ms".
[[nodiscard]] std::expected<nanos, std::string> parse_time(std::string_view text);

} // namespace wire
