#include "wire/error.hpp"

#include <fmt/format.h>

namespace wire {

std::string_view to_string(errc code) noexcept {
  switch (code) {
  case errc::ok:
    return "ok";
  case errc::truncated:
    return "truncated";
  case errc::over_limit:
    return "a length or count is over its limit";
  case errc::bad_value:
    return "a value that may not be there";
  case errc::bad_offset:
    return "an offset outside the message";
  case errc::trailing_bytes:
    return "bytes left over";
  case errc::unknown_call:
    return "answers no call that is outstanding";
  }
  return "unknown error";
}

std::string describe(const decode_error& error) {
  return fmt::format("{}: {} at byte {}", error.message.empty() ? "message" : error.message,
                     to_string(error.code), error.offset);
}

} // namespace wire
