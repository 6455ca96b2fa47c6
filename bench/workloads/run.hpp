#pragma once

#include "bench/workloads/both_eyes.hpp"
#include "bench/workloads/recorder.hpp"
#include "profiler/analysis/result.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct run_options {
  target where;
  smallfile_options workload;
  wire::u32 repeats = 1;
  std::optional<std::string> capture; ///< file to record the wire to, beside the run
  std::string interface;              ///< to capture on; empty: the one that leads to the server
};

/// What the capture beside a run has to say.
struct wire_view {
  profiler::result analysis;
  std::vector<wire_phase> phases; ///< one for each phase of each repeat, in their order
  agreement both;
};

struct run_result {
  std::string url;
  std::string protocol;
  nlohmann::ordered_json settings;
  std::vector<std::vector<phase_record>> repeats;
  std::vector<nlohmann::ordered_json> windows;   ///< window_history() at the end of each repeat
  std::vector<nlohmann::ordered_json> datagrams; ///< the same of datagrams()
  std::optional<wire::nanos> round_trip_min;     ///< by the kernel under the client
  std::optional<wire_view> wire;
};

using step_function = std::function<void(std::string_view, wire::u64, wire::u64)>;

/// Connects, runs the workload `repeats` times, and joins what the client and the wire saw. Blocks.
[[nodiscard]] result<run_result> run_workload(const run_options& options, step_function on_step,
                                              const std::atomic<bool>& stop);

} // namespace bench
