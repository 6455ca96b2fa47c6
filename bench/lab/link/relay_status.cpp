// The relay's answers to its control socket.
#include "bench/lab/link/relay.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <sstream>

namespace bench::lab::link {
namespace {

nanos monotonic_now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::chrono::seconds{t.tv_sec} + nanos{t.tv_nsec};
}

double us(nanos n) {
  return static_cast<double>(n.count()) / 1e3;
}
unsigned long long number(std::uint64_t n) {
  return n;
}

std::string error_object(const std::string& message) {
  std::string escaped;
  for (const char c : message) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return "{\"error\":\"" + escaped + "\"}";
}

} // namespace

std::string relay::answer(const std::string& request) {
  if (request == "status") return status();
  if (request.starts_with("set ")) return change(request.substr(4));
  return error_object("unknown request");
}

/// All of the changes or none.
std::string relay::change(const std::string& words) {
  link_settings wanted = settings_;
  std::istringstream in{words};
  for (std::string key, value; in >> key;) {
    if (!(in >> value)) return error_object("no value for '" + key + "'");
    if (auto applied = apply(wanted, key, value); !applied) return error_object(applied.error());
  }
  for (auto& s : sides_)
    if (auto done = s.device.set_mtu(wanted.mtu_bytes); !done) return error_object(done.error());
  settings_ = wanted;
  lateness_ = {}; // what is told belongs to the line as it is
  const nanos now = monotonic_now();
  const nanos rtt = wanted.of(direction::up).delay + wanted.of(direction::down).delay;
  for (unsigned i = 0; i < 2; ++i)
    sides_[i].outgoing.change(wanted.directions[i], wanted.mtu_bytes, rtt, now);
  return status();
}

std::string relay::status() const {
  const nanos now = monotonic_now();
  const auto mean =
      lateness_.frames == 0 ? 0.0 : us(lateness_.sum) / static_cast<double>(lateness_.frames);
  const auto rtt = us(settings_.of(direction::up).delay + settings_.of(direction::down).delay);
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(),
                "{\"schema\":\"wiretrip.link/1\",\"mtu\":%u,\"rtt_us\":%.3f,\"uptime_s\":%.3f,"
                "\"lateness_us\":{\"frames\":%llu,\"mean\":%.3f,\"max\":%.3f,\"over_50\":%llu},"
                "\"spin\":{\"seconds\":%.3f,\"margin_us\":%.3f,\"limit_us\":%.3f,\"share\":%.3f},",
                settings_.mtu_bytes, rtt, us(now - started_) / 1e6, number(lateness_.frames), mean,
                us(lateness_.max), number(lateness_.over_50_us), us(spun_) / 1e6, us(margin()),
                us(spin_.limit), spin_.share);
  return std::string{text.data()} + "\"up\":" + status_of(sides_[0]) +
         ",\"down\":" + status_of(sides_[1]) + "}";
}

std::string relay::status_of(const side& from) const {
  const auto& c = from.outgoing.counters();
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(),
                ",\"queue_bytes\":%llu,\"frames\":%llu,\"bytes\":%llu,\"delivered_frames\":%llu,"
                "\"delivered_bytes\":%llu,\"in_flight_frames\":%llu,\"backlog_bytes\":%llu,"
                "\"queue_peak_bytes\":%llu,\"reordered\":%llu,\"duplicated\":%llu,\"stamped\":%llu,"
                "\"unstamped\":%llu,\"drops\":{\"queue\":%llu,\"loss\":%llu,\"oversize\":%llu,"
                "\"limit\":%llu,\"device\":%llu}}",
                number(from.outgoing.queue_limit_bytes()), number(c.frames), number(c.bytes),
                number(c.delivered_frames - from.refused), number(c.delivered_bytes),
                number(from.outgoing.in_flight()),
                number(from.outgoing.backlog_bytes(monotonic_now())), number(c.queue_peak_bytes),
                number(c.reordered), number(c.duplicated), number(from.stamped),
                number(from.unstamped), number(c.dropped_queue), number(c.dropped_loss),
                number(c.dropped_oversize), number(c.dropped_limit), number(from.refused));
  return "{" + to_json(from.outgoing.settings()) + text.data();
}

} // namespace bench::lab::link
