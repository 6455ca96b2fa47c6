#include "rpc/record_mark.hpp"
#include "wire/call_table.hpp"
#include "wire/framer.hpp"
#include "wire/histogram.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace {

using wire::u32;
using wire::u64;

/// One record of `payload` bytes cut into segments of an Ethernet's MSS, as the profiler sees it.
void framer_over_segments(benchmark::State& state) {
  constexpr std::size_t mss = 1448;
  constexpr std::size_t profiler_keep_bytes = 1024;
  const auto payload = static_cast<std::size_t>(state.range(0));
  std::vector<std::byte> stream(payload + 4);
  wire::store_be(stream.data(), static_cast<u32>(payload) | 0x80000000u);
  wire::framer<rpc::record_mark> framer(profiler_keep_bytes);
  for (auto _ : state) {
    for (std::size_t at = 0; at < stream.size(); at += mss) {
      const auto n = std::min(mss, stream.size() - at);
      framer.feed(wire::bytes(stream).subspan(at, n), {wire::nanos{1}, 1});
      while (auto frame = framer.next())
        benchmark::DoNotOptimize(frame->length);
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * stream.size()));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(framer_over_segments)->Arg(120)->Arg(10 * 1024)->Arg(1024 * 1024);

/// Insert and take with `range` calls in flight.
void call_table_turnover(benchmark::State& state) {
  struct entry {
    wire::nanos times[4];
    u32 operation = 0;
  };
  const auto depth = static_cast<u64>(state.range(0));
  wire::call_table<entry> table(65536);
  u64 id = 0x1234'0000;
  for (u64 i = 0; i < depth; ++i)
    table.insert(id++, {});
  for (auto _ : state) {
    table.insert(id, {});
    benchmark::DoNotOptimize(table.take(id - depth));
    ++id;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(call_table_turnover)->Arg(1)->Arg(64)->Arg(4096);

void histogram_record(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> shape(12, 2);
  std::vector<wire::nanos> values(4096);
  for (auto& value : values)
    value = wire::nanos{static_cast<wire::i64>(shape(random))};
  wire::histogram h;
  std::size_t i = 0;
  for (auto _ : state)
    h.record(values[i++ & 4095]);
  benchmark::DoNotOptimize(h.count());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(histogram_record);

} // namespace
