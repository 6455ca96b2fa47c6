#pragma once

#include "profiler/flow/dispatcher.hpp"

namespace profiler {

/// What users may tell an analysis.
struct analysis_options {
  flow::port_services ports; ///< what is spoken on ports that are not the usual ones
  flow::smb2_keys smb2_keys{}; ///< of sessions whose sealed messages are to be looked into
};

} // namespace profiler
