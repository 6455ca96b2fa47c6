#pragma once

#include <atomic>

namespace cli {

/// From now on Ctrl-C and SIGTERM set this and do nothing else: whoever works looks at it, ends
/// in order and tells what there is.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

} // namespace cli
