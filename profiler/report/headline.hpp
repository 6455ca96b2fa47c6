#pragma once

#include "profiler/analysis/result.hpp"

#include <string>
#include <vector>

namespace profiler::report {

/// The answer in a few sentences, one a line: where most of the wall time went, what a file cost,
/// whether requests were made one at a time.
[[nodiscard]] std::vector<std::string> headline(const result& r);

/// "4.07 s"; "86.0 ms" below a second.
[[nodiscard]] std::string seconds_text(double seconds);

} // namespace profiler::report
