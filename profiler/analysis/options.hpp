#pragma once

#include "profiler/capture/packet_filter.hpp"
#include "profiler/flow/dispatcher.hpp"

#include <atomic>
#include <memory>

namespace profiler {

/// What users may tell an analysis.
struct analysis_options {
  flow::port_services ports{}; ///< what is spoken on ports that are not the usual ones

  std::shared_ptr<capture::packet_filter> filter{}; ///< none: every packet is analysed
  /// Where set, captures are waited for at their end until this becomes true. It must outlive the
  /// analysis.
  const std::atomic<bool>* follow_until = nullptr;
  flow::smb2_keys smb2_keys{}; ///< of sessions whose sealed messages are to be looked into
};

} // namespace profiler
