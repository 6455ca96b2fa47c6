#pragma once

#include "bench/workloads/run.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace bench {

/// The document `wiretrip.run/1`.
[[nodiscard]] nlohmann::ordered_json document_of(const run_result& run, const run_options& options);

/// What a person reads behind a run, in at most 40 lines.
[[nodiscard]] std::string text_of(const run_result& run, const run_options& options);

} // namespace bench
