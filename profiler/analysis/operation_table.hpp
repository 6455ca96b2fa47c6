#pragma once

#include "profiler/timing/operation_key.hpp"
#include "profiler/timing/phase.hpp"
#include "wire/histogram.hpp"

#include <map>

namespace profiler::analysis {

using timing::operation_key;
using wire::nanos;
using wire::u64;

/// What is known of all requests of one operation.
struct operation_stats {
  u64 count = 0;       ///< answered
  u64 errors = 0;      ///< of these, with a status that says that it failed
  u64 unanswered = 0;  ///< not in `count`
  u64 retried = 0;     ///< sent more than once
  nanos retry_wait{0}; ///< Σ resent − q1 of these: what passed until the last attempt
  u64 bytes = 0;       ///< file data
  u64 request_bytes = 0;
  u64 reply_bytes = 0;
  u64 parts = 0;           ///< of `count`, in a compound behind its first operation: no round trip
  u64 waits = 0;           ///< of `count`, kept out of latency, srt and phases: waits by design
  wire::histogram latency; ///< r1 − q0, where both were captured
  wire::histogram srt;     ///< r1 − q1, where both were captured
  wire::histogram wait;    ///< r1 − q0 of the waits
  nanos wait_srt_sum{0};   ///< r1 − q1 of the waits: with srt.sum() what tshark adds up
  timing::phase_sums phases;
  u64 phased = 0; ///< how many `phases` is the sum of

  void merge(const operation_stats& other);
};

/// A row for each operation that occurs.
class operation_table final : public wire::exchange_sink {
 public:
  void on_exchange(const wire::exchange& e) override;
  void merge(const operation_table& other);

  /// nullptr: it never occurred.
  [[nodiscard]] const operation_stats* find(operation_key key) const noexcept;
  [[nodiscard]] const std::map<operation_key, operation_stats>& rows() const noexcept {
    return rows_;
  }
  [[nodiscard]] u64 count() const noexcept;
  [[nodiscard]] u64 round_trips() const noexcept;

 private:
  std::map<operation_key, operation_stats> rows_; ///< at most timing::operation_slots
};

} // namespace profiler::analysis
