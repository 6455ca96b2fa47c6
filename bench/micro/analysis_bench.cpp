#include "profiler/analysis/analyzer.hpp"
#include "profiler/timing/attribution.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/small_files.hpp"

#include <benchmark/benchmark.h>

// The profiler's upper half, and all of it together. The traffic is a small-file workload over
// NFSv3, written, read back and removed at depth 1. Items are packets, or exchanges.

namespace {

/// 1000 files of 10 KiB: about 29,000 packets, 24 MB.
const std::vector<support::timed_frame>& traffic() {
  static const auto frames = support::small_files(1000);
  return frames;
}

void whole_analysis(benchmark::State& state) {
  wire::i64 bytes = 0;
  for (const auto& f : traffic())
    bytes += static_cast<wire::i64>(f.data.size());
  for (auto _ : state) {
    profiler::analyzer analyzer;
    support::feed(analyzer, traffic());
    benchmark::DoNotOptimize(analyzer.finish().seen.timed);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<wire::i64>(traffic().size()));
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(whole_analysis)->Unit(benchmark::kMillisecond);

const std::vector<wire::exchange>& exchanges() {
  static const auto all = [] {
    support::exchange_log log;
    profiler::analyzer analyzer;
    analyzer.add_sink(log);
    support::feed(analyzer, traffic());
    static_cast<void>(analyzer.finish());
    return log.all;
  }();
  return all;
}

template <class Table>
void feed(benchmark::State& state) {
  for (auto _ : state) {
    Table table;
    for (const auto& e : exchanges())
      table.on_exchange(e);
    benchmark::DoNotOptimize(table);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<wire::i64>(exchanges().size()));
}

void operation_statistics(benchmark::State& state) {
  feed<profiler::analysis::operation_table>(state);
}
BENCHMARK(operation_statistics);

void file_statistics(benchmark::State& state) {
  feed<profiler::analysis::file_table>(state);
}
BENCHMARK(file_statistics);

void wall_time_attribution(benchmark::State& state) {
  for (auto _ : state) {
    profiler::timing::attribution wall;
    for (const auto& e : exchanges())
      wall.on_exchange(e);
    wall.finish();
    benchmark::DoNotOptimize(wall.residual_seconds());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<wire::i64>(exchanges().size()));
}
BENCHMARK(wall_time_attribution);

} // namespace
