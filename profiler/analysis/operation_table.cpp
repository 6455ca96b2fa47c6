#include "profiler/analysis/operation_table.hpp"

namespace profiler::analysis {

using wire::known;

void operation_stats::merge(const operation_stats& other) {
  count += other.count;
  errors += other.errors;
  unanswered += other.unanswered;
  retried += other.retried;
  retry_wait += other.retry_wait;
  bytes += other.bytes;
  request_bytes += other.request_bytes;
  reply_bytes += other.reply_bytes;
  parts += other.parts;
  waits += other.waits;
  latency.merge(other.latency);
  srt.merge(other.srt);
  wait.merge(other.wait);
  wait_srt_sum += other.wait_srt_sum;
  phases.merge(other.phases);
  phased += other.phased;
}

void operation_table::on_exchange(const wire::exchange& e) {
  auto& r = rows_[timing::key_of(e)];
  if (e.attempts > 1) ++r.retried;
  if (known(e.t.resent) && known(e.t.q1)) r.retry_wait += e.t.resent - e.t.q1;
  r.request_bytes += e.request_bytes;
  if (!e.replied) {
    ++r.unanswered;
    return;
  }
  ++r.count;
  if (e.failed) ++r.errors;
  if (e.part > 0) ++r.parts;
  r.bytes += e.data_bytes;
  r.reply_bytes += e.reply_bytes;
  if (e.interim || e.long_wait) {
    ++r.waits;
    if (known(e.t.q0) && known(e.t.r1)) r.wait.record(e.latency());
    if (known(e.t.q1) && known(e.t.r1)) r.wait_srt_sum += e.srt();
    return;
  }
  if (e.r1_bounded) return;
  if (known(e.t.q1) && known(e.t.r1) && !e.q1_bounded) r.srt.record(e.srt());
  if (!known(e.t.q0) || !known(e.t.r1)) return;
  r.latency.record(e.latency());
  r.phases.add(timing::phases_of(e));
  ++r.phased;
}

void operation_table::merge(const operation_table& other) {
  for (const auto& [key, stats] : other.rows_)
    rows_[key].merge(stats);
}

const operation_stats* operation_table::find(operation_key key) const noexcept {
  const auto at = rows_.find(key);
  return at == rows_.end() ? nullptr : &at->second;
}

u64 operation_table::count() const noexcept {
  u64 n = 0;
  for (const auto& [key, stats] : rows_)
    n += stats.count;
  return n;
}

u64 operation_table::round_trips() const noexcept {
  u64 n = 0;
  for (const auto& [key, stats] : rows_)
    n += stats.count - stats.parts;
  return n;
}

} // namespace profiler::analysis
