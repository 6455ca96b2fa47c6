#pragma once

#include "profiler/analysis/analyzer.hpp"
#include "tests/support/exchanges.hpp"
#include "tests/support/pcap_builder.hpp"

namespace support {

/// What came of a capture: the result and each exchange.
struct analysed {
  profiler::result result;
  std::vector<wire::exchange> exchanges;
};

/// Ethernet frames, not by way of a file.
inline void feed(profiler::analyzer& analyzer, const std::vector<timed_frame>& frames) {
  u32 number = 0;
  for (const auto& f : frames)
    analyzer.packet(
        {.data = f.data,
         .wire_length = f.wire_length == 0 ? static_cast<u32>(f.data.size()) : f.wire_length,
         .at = {f.at, ++number},
         .link_type = 1});
}

inline analysed analyse(const std::vector<timed_frame>& frames,
                        profiler::analysis_options options = {}) {
  exchange_log log;
  profiler::analyzer analyzer(std::move(options));
  analyzer.add_sink(log);
  feed(analyzer, frames);
  return {analyzer.finish(), std::move(log.all)};
}

inline std::vector<timed_frame> cut_to(std::vector<timed_frame> frames, std::size_t snap_length) {
  for (auto& f : frames) {
    if (f.wire_length == 0) f.wire_length = static_cast<u32>(f.data.size());
    f.data.resize(std::min(f.data.size(), snap_length));
  }
  return frames;
}

} // namespace support
