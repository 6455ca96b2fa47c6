#include "bench/workloads/both_eyes.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using wire::nanos;
using wire::u16;
using wire::u64;

wire::exchange on_wire(u64 id, wire::u32 connection, nanos q0, nanos latency) {
  wire::exchange e;
  e.id = id;
  e.connection = connection;
  e.t.q0 = q0;
  e.t.q1 = q0 + 1us;
  e.t.r0 = q0 + latency - 1us;
  e.t.r1 = q0 + latency;
  return e;
}

bench::client_request asked(u64 id, u16 port, nanos latency) {
  return {.id = id, .local_port = port, .proto = wire::protocol::nfs3, .latency = latency};
}

profiler::result connections_from(std::initializer_list<u16> ports) {
  profiler::result out;
  for (const auto port : ports)
    out.connections.emplace_back().key.client.port = port;
  return out;
}

std::vector<std::vector<bench::phase_record>> two_phases() {
  std::vector<std::vector<bench::phase_record>> out(1);
  auto& write = out.front().emplace_back();
  write.begin_unix = 1000ms;
  write.end_unix = 2000ms;
  auto& read = out.front().emplace_back();
  read.begin_unix = 2000ms + 1ns;
  read.end_unix = 3000ms;
  return out;
}

TEST(BothEyes, JoinsByConnectionAndId) {
  bench::both_eyes eyes(two_phases());
  eyes.on_exchange(on_wire(7, 0, 1100ms, 500us));
  eyes.on_exchange(on_wire(7, 1, 1100ms, 900us)); // the same id on another connection

  const auto a = eyes.join({asked(7, 801, 950us), asked(8, 801, 1ms), asked(7, 800, 490us)},
                           connections_from({800, 801}));

  EXPECT_EQ(a.requests, 3u);
  EXPECT_EQ(a.joined, 2u);
  EXPECT_EQ(a.at_least_wire, 1u) << "490 µs is less than the wire's 500";
  EXPECT_EQ(a.differences_ns, (std::vector<wire::i64>{-10'000, 50'000}));
}

TEST(BothEyes, GivesExchangesToThePhaseTheyBeganIn) {
  bench::both_eyes eyes(two_phases());
  eyes.on_exchange(on_wire(1, 0, 999ms, 2ms)); // before the first phase: the mount
  eyes.on_exchange(on_wire(2, 0, 1999ms, 2ms));
  eyes.on_exchange(on_wire(3, 0, 2500ms, 2ms));
  eyes.on_exchange(on_wire(4, 0, 2600ms, 2ms));
  eyes.on_exchange(on_wire(5, 0, 3001ms, 2ms));
  (void)eyes.join({}, connections_from({800}));

  const auto phases = eyes.take_phases();

  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].operations.count(), 1u);
  EXPECT_EQ(phases[1].operations.count(), 2u);
}

} // namespace
