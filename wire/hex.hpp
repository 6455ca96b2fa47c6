#pragma once

#include "wire/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wire {

/// Lower-case hex digits, two a byte.
[[nodiscard]] std::string to_hex(bytes data);

/// Reads hex digits; white space and everything behind '#' on a line are passed over.
/// Nothing if there is another character or an odd number of digits.
[[nodiscard]] std::optional<std::vector<std::byte>> from_hex(std::string_view text);

} // namespace wire
