#include "profiler/capture/capture_reader.hpp"
#include "profiler/net/dispatcher.hpp"
#include "tests/support/pcap_builder.hpp"

#include <benchmark/benchmark.h>

// The lower half of the profiler per packet: walking a capture, and walking it with links, IP and
// TCP streams. The traffic is a small-file workload: a call, a reply, a WRITE of 8 KiB in segments
// of 1448 bytes, an acknowledgement, a reply. Items are packets, bytes those of the capture file.

namespace {

using support::pattern;
using wire::nanos;

constexpr int connections = 16;
constexpr int rounds = 40;

/// About 3.4 MB: it fits into a cache, so that the code is measured and not the memory.
const std::vector<support::timed_frame>& traffic() {
  static const auto frames = [] {
    std::vector<support::timed_frame> out;
    std::vector<support::tcp_talk> talks;
    for (wire::u16 i = 0; i < connections; ++i) {
      talks.emplace_back(support::v4(198, 18, 0, 1, static_cast<wire::u16>(700 + i)),
                         support::v4(198, 18, 0, 2, 2049),
                         support::tcp_talk::settings{.timestamps = true});
      talks.back().handshake();
    }
    for (int round = 0; round < rounds; ++round) {
      for (auto& t : talks) {
        t.to_server(pattern(160)).wait(nanos{200'000}).to_client(pattern(140));
        t.to_server(pattern(8192)).wait(nanos{90'000}).ack_by_server();
        t.wait(nanos{100'000}).to_client(pattern(140)).wait(nanos{20'000});
        out.insert(out.end(), t.frames.begin(), t.frames.end());
        t.frames.clear();
      }
    }
    return out;
  }();
  return frames;
}

const support::byte_vector& capture_file() {
  static const auto file = support::pcap_builder({.nanoseconds = true}).add(traffic()).file();
  return file;
}

class sink final : public profiler::net::transport_consumer {
 public:
  wire::u64 bytes = 0;

  std::unique_ptr<profiler::net::stream_consumer> open(const profiler::net::flow_key&,
                                                       const profiler::net::tcp_facts&, bool,
                                                       wire::stamp) override {
    return std::make_unique<stream>(bytes);
  }
  void datagram(const profiler::net::flow_key&, profiler::net::direction, wire::bytes, wire::u32 n,
                wire::stamp) override {
    bytes += n;
  }

 private:
  class stream final : public profiler::net::stream_consumer {
   public:
    explicit stream(wire::u64& bytes) : bytes_(bytes) {}
    void chunk(profiler::net::direction, wire::bytes, wire::u32 n, wire::stamp) override {
      bytes_ += n;
    }
    void gap(profiler::net::direction, wire::u64, wire::stamp) override {}
    void end(wire::stamp) override {}

   private:
    wire::u64& bytes_;
  };
};

void report(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<wire::i64>(traffic().size()));
  state.SetBytesProcessed(state.iterations() * static_cast<wire::i64>(capture_file().size()));
}

void capture_walk(benchmark::State& state) {
  for (auto _ : state) {
    auto reader = profiler::capture::capture_reader::over(capture_file(), "traffic");
    profiler::packet p;
    while (reader->next(p))
      benchmark::DoNotOptimize(p.data.data());
  }
  report(state);
}
BENCHMARK(capture_walk);

void capture_to_streams(benchmark::State& state) {
  for (auto _ : state) {
    auto reader = profiler::capture::capture_reader::over(capture_file(), "traffic");
    sink to;
    profiler::net::dispatcher d(to);
    profiler::packet p;
    while (reader->next(p))
      d.packet(p);
    d.finish();
    benchmark::DoNotOptimize(to.bytes);
  }
  report(state);
}
BENCHMARK(capture_to_streams);

/// Every eighth packet changes places with the next: the slow path.
void reordered_streams(benchmark::State& state) {
  auto frames = traffic();
  for (std::size_t i = 7; i + 1 < frames.size(); i += 8)
    std::swap(frames[i].data, frames[i + 1].data);
  const auto file = support::pcap_builder({.nanoseconds = true}).add(frames).file();
  for (auto _ : state) {
    auto reader = profiler::capture::capture_reader::over(file, "traffic");
    sink to;
    profiler::net::dispatcher d(to);
    profiler::packet p;
    while (reader->next(p))
      d.packet(p);
    d.finish();
    benchmark::DoNotOptimize(to.bytes);
  }
  report(state);
}
BENCHMARK(reordered_streams);

} // namespace
