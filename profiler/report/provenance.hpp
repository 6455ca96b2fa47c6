#pragma once

#include "profiler/analysis/result.hpp"
#include "profiler/timing/capture_point.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace profiler::report {

enum class confidence : wire::u8 { high, medium, low, none };

[[nodiscard]] std::string_view to_string(confidence c) noexcept;

/// What stands behind a figure of the reports.
struct figure {
  std::string_view name;       ///< as in JSON: "server"
  std::string_view definition; ///< one line; docs/definitions.md has all of it
  wire::u64 n = 0;             ///< requests (or files) that it was taken from
  wire::u64 of = 0;            ///< that it could have been taken from
  confidence sure = confidence::high;
  std::vector<std::string> reasons{}; ///< why it is not higher
};

/// Where it was captured: what most requests say. `several` when some say something else.
struct place {
  timing::capture_point where = timing::capture_point::unknown;
  bool several = false;
};

[[nodiscard]] place captured_at(const result& r);

/// Every figure, in the order of the reports. Confidence: high when at least 99 % of the requests
/// are in it and nothing is known to spoil it; medium from 90 %, or where a bound or a second-best
/// estimator is in it; low below; none when it cannot be given.
[[nodiscard]] std::vector<figure> provenance_of(const result& r);

} // namespace profiler::report
