#pragma once

#include "bench/lab/link/control.hpp"
#include "bench/lab/link/line.hpp"
#include "bench/lab/link/tap.hpp"

#include <array>
#include <csignal>
#include <expected>
#include <string>
#include <vector>

namespace bench::lab::link {

/// How much processor the relay may burn to be on time.
///
/// A timer wakes a sleeping processor late by a machine's habit (45 us on a small virtual one), so
/// the relay sleeps until `margin` before a frame is due and spins for the rest. The margin follows
/// the lateness seen, and is never above `limit`. It spins only while work and spinning together
/// stay below `share` of the time; past that, frames come in small batches, late by what the timer
/// is. (Real-time threads that never sleep are stopped for 50 ms in each second by the kernel.)
struct spin_settings {
  nanos limit{std::chrono::microseconds{100}};
  double share = 0.6;
};

/// How late frames left the relay since the settings last changed.
struct lateness {
  std::uint64_t frames = 0, over_50_us = 0;
  nanos sum{}, max{};
};

/// Moves frames between two TAPs through two lines, one for each direction, on one thread.
class relay {
 public:
  relay(tap a, tap b, control_server control, const link_settings& settings, std::uint64_t seed,
        spin_settings spin);

  /// Until `stop` is set by a signal that only `waiting_mask` lets through; or an error.
  [[nodiscard]] std::expected<void, std::string> run(const volatile std::sig_atomic_t& stop,
                                                     const sigset_t& waiting_mask);

 private:
  /// Where frames of one direction come from and go to.
  struct side {
    tap device;
    line outgoing;
    std::uint64_t stamped = 0, unstamped = 0;
    std::uint64_t refused = 0; ///< frames that the device at the other end did not take
  };

  [[nodiscard]] std::expected<bool, std::string> take_frames(side& from);
  bool deliver(side& from, side& to, nanos now);
  [[nodiscard]] std::expected<void, std::string> turn(const sigset_t& waiting_mask);
  [[nodiscard]] std::expected<void, std::string> spin_until(nanos due);
  void wait(std::optional<nanos> due, const sigset_t& waiting_mask);
  bool sleep_at_most(std::optional<nanos> time, bool frames_wake, const sigset_t& mask);
  void count_credit(nanos now);
  void learn_overshoot(nanos overshoot);
  [[nodiscard]] nanos margin() const;
  [[nodiscard]] std::optional<nanos> next_due() const;

  [[nodiscard]] std::string answer(const std::string& request);
  [[nodiscard]] std::string change(const std::string& words);
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string status_of(const side& from) const;

  std::array<side, 2> sides_;
  control_server control_;
  link_settings settings_;
  spin_settings spin_;
  nanos spin_credit_{};
  nanos spun_{};
  nanos credit_time_{}; ///< up to when, and to how much processor time, the credit is counted
  nanos credit_used_{};
  nanos overshoot_mean_{};
  nanos overshoot_deviation_{};
  lateness lateness_;
  nanos started_{};
  std::vector<std::byte> buffer_;
  std::vector<pollfd> poll_;
};

} // namespace bench::lab::link
