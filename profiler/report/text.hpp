#pragma once

#include "profiler/analysis/result.hpp"

#include <string>

namespace profiler::report {

/// What a protocol engineer would say of the capture, in at most 40 lines of up to 120 columns:
/// where the time went, what the operations cost, round trips per file, connections, and what is
/// not known. Most expensive first. Ends with a line feed.
[[nodiscard]] std::string text_of(const result& r);

} // namespace profiler::report
