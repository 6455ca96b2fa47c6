#pragma once

#include "wire/bytes.hpp"

#include <string>
#include <string_view>

namespace wire {

/// What can be wrong with bytes from a peer or a file.
enum class errc : u8 {
  ok,
  truncated,      ///< the message ends before the field does
  over_limit,     ///< a length or count is above the limit that the specification or we set
  bad_value,      ///< a discriminant, magic or fixed field has a value that may not be there
  bad_offset,     ///< an offset points outside the message
  trailing_bytes, ///< the message is longer than what it describes
  unknown_call,   ///< a reply that answers nothing we know of
};

[[nodiscard]] std::string_view to_string(errc code) noexcept;

/// The first thing that was wrong, and where. `offset` counts bytes from the start of the message,
/// `message` names what was being decoded and must be a literal.
struct decode_error {
  errc code = errc::ok;
  u32 offset = 0;
  std::string_view message;

  friend bool operator==(const decode_error&, const decode_error&) = default;
};

/// "READ reply: truncated at byte 24"
[[nodiscard]] std::string describe(const decode_error& error);

} // namespace wire
