#pragma once

#include "profiler/flow/dispatcher.hpp"

namespace profiler {

/// What users may tell an analysis.
struct analysis_options {
  flow::port_services ports; ///< what is spoken on ports that are not the usual ones
};

} // namespace profiler
