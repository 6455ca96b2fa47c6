#pragma once

#include "profiler/timing/operation_key.hpp"
#include "profiler/timing/phase.hpp"

#include <vector>

namespace profiler::timing {

/// Gives every instant of a workload's wall time, from the first byte of its first call to the last
/// of its last reply, to something: while L requests are outstanding each gets 1/L of the time, in
/// the phase it is in; the parts of a compound share one request's part. Where nothing is
/// outstanding but waits by design or a call that was never answered, they get it (`waiting`);
/// where nothing is outstanding at all it is `think`.
/// Takes requests in the order in which they complete, in constant memory: it holds the last
/// `window` of them, and one that was overtaken by more than half as many gets only what is left
/// of its time (late() says how much it missed).
class attribution final : public wire::exchange_sink {
 public:
  static constexpr std::size_t window_default = 16384;

  attribution() : attribution(window_default) {}
  explicit attribution(std::size_t window);

  void on_exchange(const wire::exchange& e) override;
  /// Call once, behind the last exchange and before the results are asked for.
  void finish();

  struct row {
    phase what;
    operation_key of; ///< of no meaning for `think`
    double seconds;
  };

  /// What got any time, the largest first; `think` is a row of its own.
  [[nodiscard]] std::vector<row> rows() const;
  /// Seconds of one operation in all phases.
  [[nodiscard]] double seconds(operation_key key) const noexcept;
  [[nodiscard]] double seconds(phase what) const noexcept;
  [[nodiscard]] double wall_seconds() const noexcept { return wall_ns_ / 1e9; }
  /// wall − Σ rows.
  [[nodiscard]] double residual_seconds() const noexcept;
  /// Time of overtaken requests that had been given away before they completed.
  [[nodiscard]] double late_seconds() const noexcept { return late_ns_ / 1e9; }
  /// Mean number of requests outstanding while any was.
  [[nodiscard]] double mean_outstanding() const noexcept;

  /// Adds the seconds of another workload; both must be finished.
  void merge(const attribution& other);

 private:
  using span = phase_list::span;

  /// Its phases stand in `spans_`: most have three, and few the fourteen that there can be.
  struct request {
    nanos begin{0};
    wire::u32 first = 0; ///< of its phases
    wire::u16 slot = 0;
    wire::u8 count = 0; ///< of its phases
    wire::u8 next = 0;  ///< boundaries passed; 0 is the begin
    double weight = 1;
    double clock = 0; ///< reading of its clock at its last boundary
    bool background = false;
  };
  struct boundary {
    nanos time;
    wire::u32 request;
  };

  void sweep(nanos until);
  void advance(nanos to) noexcept;
  void pass(request& r) noexcept;
  void credit(request& r) noexcept;
  void drop_background();
  void join_late(request& r) noexcept;
  template <class Predicate>
  void forget(Predicate&& done);
  [[nodiscard]] nanos boundary_of(const request& r, wire::u8 k) const noexcept {
    return k == 0 ? r.begin : spans_[r.first + k - 1u].end;
  }
  [[nodiscard]] nanos middle_end();

  using seconds_by_phase = std::array<double, phase_count>;

  std::size_t window_;
  std::vector<request> requests_;
  std::vector<span> spans_;          ///< of the requests, in their order
  std::vector<boundary> boundaries_; ///< scratch of sweep(), kept for its memory
  std::vector<nanos> ends_;          ///< scratch of middle_end()

  bool started_ = false;
  bool swept_once_ = false;
  nanos begin_{0};
  nanos end_{0};   ///< last reply
  nanos swept_{0}; ///< everything before is given away
  /// Two clocks: one runs at 1/L while L > 0, the other at 1/L of the background while L = 0. What
  /// a request gets of a phase is what its clock moved meanwhile.
  double clock_ = 0;
  double background_clock_ = 0;
  double active_ = 0;    ///< Σ weights outstanding
  int active_count_ = 0; ///< 0 where `active_` must be exactly 0
  int background_ = 0;

  std::vector<seconds_by_phase> ns_; ///< by slot
  double think_ns_ = 0;
  double wall_ns_ = 0;
  double late_ns_ = 0;
  double busy_ns_ = 0;
  double outstanding_ns_ = 0; ///< ∫ L dt
};

} // namespace profiler::timing
