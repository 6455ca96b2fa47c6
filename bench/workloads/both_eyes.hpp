#pragma once

#include "bench/workloads/recorder.hpp"
#include "profiler/analysis/result.hpp"
#include "wire/exchange.hpp"
#include "wire/histogram.hpp"

#include <vector>

namespace bench {

/// One phase of a workload as the wire shows it.
struct wire_phase {
  wire::nanos begin_unix{};
  wire::nanos end_unix{};
  profiler::analysis::operation_table operations;
  profiler::timing::attribution wall;
};

/// How our own timing of requests agrees with the wire's: what the client waited minus what the
/// wire shows is the client's own stack (and never negative).
struct agreement {
  wire::u64 requests = 0;      ///< that the client timed
  wire::u64 joined = 0;        ///< of these, found on the wire by connection and xid or MessageId
  wire::u64 at_least_wire = 0; ///< of these, with a client's latency ≥ the wire's
  std::vector<wire::i64> differences_ns; ///< client's latency − the wire's, sorted
};

/// Takes the exchanges of the capture taken beside a run, and lays them over what the client saw.
class both_eyes final : public wire::exchange_sink {
 public:
  /// Phases in the order of time, all repeats; an exchange belongs to the one its call began in.
  explicit both_eyes(const std::vector<std::vector<phase_record>>& repeats);

  void on_exchange(const wire::exchange& e) override;

  /// Call once, behind the last exchange.
  [[nodiscard]] agreement join(const std::vector<client_request>& requests,
                               const profiler::result& analysis);

  /// One for each phase of each repeat, in their order. Call behind join().
  [[nodiscard]] std::vector<wire_phase> take_phases() { return std::move(phases_); }

 private:
  struct seen {
    wire::u64 id;
    wire::u32 connection;
    wire::protocol proto;
    wire::nanos latency;
  };

  std::vector<wire_phase> phases_;
  std::vector<seen> seen_;
};

} // namespace bench
