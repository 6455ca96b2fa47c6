#include "bench/workloads/recorder.hpp"

#include "wire/net/clock.hpp"

#include <chrono>

namespace bench {

namespace {

wire::nanos unix_now() {
  return std::chrono::duration_cast<wire::nanos>(
      std::chrono::system_clock::now().time_since_epoch());
}

} // namespace

recorder::recorder(std::function<void(std::string_view, wire::u64, wire::u64)> on_step,
                   const std::atomic<bool>& stop)
    : on_step_(std::move(on_step)), stop_(stop) {}

void recorder::on_exchange(const wire::exchange& e) {
  if (e.timed() && e.connection == work_connection && requests_.size() < requests_max)
    requests_.push_back(
        {.id = e.id, .local_port = local_port_, .proto = e.proto, .latency = e.latency()});
  if (!in_phase_) return;
  auto timed = e;
  timed.network = round_trip_; // the kernel's measure, all that there is without a capture
  phases_.back().operations.on_exchange(timed);
  phases_.back().wall.on_exchange(timed);
}

void recorder::phase_begins(std::string_view name) {
  auto& phase = phases_.emplace_back();
  phase.name = name;
  in_phase_ = true;
  phase.begin_unix = unix_now();
  phase.begin = wire::net::now();
}

void recorder::phase_ends(wire::u64 files, wire::u64 bytes) {
  auto& phase = phases_.back();
  phase.end = wire::net::now();
  phase.end_unix = unix_now();
  in_phase_ = false;
  phase.files = files;
  phase.bytes = bytes;
  phase.wall.finish();
}

void recorder::step(wire::u64 done, wire::u64 total) {
  if (on_step_) on_step_(phases_.back().name, done, total);
}

std::vector<phase_record> recorder::take_phases() {
  local_port_ = 0;
  unplaced_ = requests_.size();
  return std::exchange(phases_, {});
}

void recorder::set_connection(wire::u16 local_port,
                              std::optional<wire::nanos> round_trip) noexcept {
  local_port_ = local_port;
  for (auto i = unplaced_; i < requests_.size(); ++i)
    requests_[i].local_port = local_port;
  round_trip_ = round_trip.value_or(wire::unknown_time);
}

} // namespace bench
