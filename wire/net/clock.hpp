#pragma once

#include "wire/bytes.hpp"

#include <chrono>

namespace wire::net {

/// The clock of all client times. Cores never read it: the driver passes `now` in.
[[nodiscard]] inline nanos now() noexcept {
  return std::chrono::duration_cast<nanos>(std::chrono::steady_clock::now().time_since_epoch());
}

} // namespace wire::net
