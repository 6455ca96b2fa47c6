#pragma once

#include "bench/workloads/file_client.hpp"
#include "profiler/capture/live.hpp"

#include <string>

namespace bench {

/// Records what goes to and comes from the URL's server into `file`. An empty `interface` is the
/// one that leads there.
[[nodiscard]] result<profiler::capture::live_capture>
capture_beside(const std::string& url, const std::string& interface, const std::string& file);

} // namespace bench
