#pragma once

#include "bench/workloads/smallfile.hpp"
#include "profiler/analysis/operation_table.hpp"
#include "profiler/timing/attribution.hpp"
#include "wire/exchange.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// One phase of a workload as the client saw it.
struct phase_record {
  std::string name;
  wire::nanos begin{}; ///< steady clock
  wire::nanos end{};
  wire::nanos begin_unix{}; ///< the clock of captures: which exchanges of one belong to the phase
  wire::nanos end_unix{};
  wire::u64 files = 0;
  wire::u64 bytes = 0;
  profiler::analysis::operation_table operations;
  profiler::timing::attribution wall;

  [[nodiscard]] double seconds() const noexcept {
    return static_cast<double>((end - begin).count()) / 1e9;
  }
};

/// What joins one of our requests with the same on the wire.
struct client_request {
  wire::u64 id = 0; ///< xid or MessageId
  wire::u16 local_port = 0;
  wire::protocol proto = wire::protocol::nfs3;
  wire::nanos latency{}; ///< q0 to r1 by our own clock
};

/// Listens to a client and a workload, and keeps what a run's report needs.
class recorder final : public wire::exchange_sink, public progress {
 public:
  /// `on_step(phase, done, total)` is called after each file; `stop` says that the user wants out.
  recorder(std::function<void(std::string_view, wire::u64, wire::u64)> on_step,
           const std::atomic<bool>& stop);

  void on_exchange(const wire::exchange& e) override;
  void phase_begins(std::string_view name) override;
  void phase_ends(wire::u64 files, wire::u64 bytes) override;
  void step(wire::u64 done, wire::u64 total) override;
  [[nodiscard]] bool cancelled() const override { return stop_.load(std::memory_order_relaxed); }

  /// A run of its own follows: forgets the phases, keeps the requests.
  [[nodiscard]] std::vector<phase_record> take_phases();

  /// The connection that does the work is there; its first requests (NEGOTIATE, FSINFO) were sent
  /// before anybody could ask for its port.
  void set_connection(wire::u16 local_port, std::optional<wire::nanos> round_trip) noexcept;
  [[nodiscard]] const std::vector<client_request>& requests() const noexcept { return requests_; }

 private:
  /// Beyond these the join with the wire is a sample of the first ones.
  static constexpr std::size_t requests_max = 2'000'000;
  /// Of the client's connections the one that does the work; MOUNT and rpcbind have others.
  static constexpr wire::u32 work_connection = 0;

  std::function<void(std::string_view, wire::u64, wire::u64)> on_step_;
  const std::atomic<bool>& stop_;
  wire::nanos round_trip_ = wire::unknown_time;
  wire::u16 local_port_ = 0;
  std::size_t unplaced_ = 0; ///< from this request on the port was not known when it was made
  bool in_phase_ = false;
  std::vector<phase_record> phases_;
  std::vector<client_request> requests_;
};

} // namespace bench
