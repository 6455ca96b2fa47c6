#pragma once

#include "profiler/analysis/capture_details.hpp"

#include <nlohmann/json.hpp>

namespace profiler::report {

/// Adds what captures say beside their packets to the `capture` part of a document. Parts that a
/// capture has nothing of are left out, but for its interfaces.
void add_capture_details(nlohmann::ordered_json& capture, const analysis::capture_details& d);

} // namespace profiler::report
