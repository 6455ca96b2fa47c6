#include "profiler/timing/attribution.hpp"

#include <algorithm>
#include <cassert>

namespace profiler::timing {

attribution::attribution(std::size_t window)
    : window_(std::max<std::size_t>(window, 4)), ns_(operation_slots) {}

void attribution::on_exchange(const wire::exchange& e) {
  if (is_subscription(e) || is_callback(e)) return;
  const auto phases = phases_of(e);
  if (phases.count == 0) return;
  request r{.begin = phases.begin,
            .first = static_cast<wire::u32>(spans_.size()),
            .slot = static_cast<wire::u16>(slot_of(key_of(e))),
            .count = phases.count};
  r.background = e.long_wait || !e.replied;
  r.weight = times_whole_compound(e) ? 1.0 : 1.0 / std::max<double>(e.operations, 1);
  if (!started_) {
    started_ = true;
    swept_once_ = false;
    begin_ = end_ = swept_ = phases.begin;
  }
  if (!swept_once_) begin_ = swept_ = std::min(begin_, phases.begin);
  if (!r.background) end_ = std::max(end_, phases.end());
  requests_.push_back(r);
  spans_.insert(spans_.end(), phases.spans.begin(), phases.spans.begin() + phases.count);
  if (requests_.size() < window_) return;
  // Behind the last reply nothing is given away: it may stay the last one.
  sweep(std::min(middle_end(), end_));
  if (requests_.size() > window_ / 4 * 3) drop_background();
}

void attribution::finish() {
  if (!started_) return;
  sweep(end_);
  // What still waits for a reply that never came gets its part up to the end.
  for (auto& r : requests_)
    if (r.next > 0) credit(r);
  requests_.clear();
  spans_.clear();
  background_ = 0;
  wall_ns_ += static_cast<double>((end_ - begin_).count());
  started_ = false;
}

/// Too many calls at once that nobody will answer: what they would get more is left to others.
void attribution::drop_background() {
  forget([this](request& r) {
    if (!r.background) return false;
    if (r.next > 0) {
      credit(r);
      --background_;
    }
    return true;
  });
}

/// Takes out the requests for which `done` is true, and their phases.
template <class Predicate>
void attribution::forget(Predicate&& done) {
  std::size_t kept = 0;
  wire::u32 kept_spans = 0;
  for (auto& r : requests_) {
    if (done(r)) continue;
    const auto from = spans_.begin() + r.first;
    if (r.first != kept_spans) std::copy(from, from + r.count, spans_.begin() + kept_spans);
    r.first = kept_spans;
    kept_spans += r.count;
    requests_[kept++] = r;
  }
  requests_.resize(kept);
  spans_.resize(kept_spans);
}

nanos attribution::middle_end() {
  ends_.clear();
  for (const auto& r : requests_)
    ends_.push_back(boundary_of(r, r.count));
  const auto middle = ends_.begin() + static_cast<std::ptrdiff_t>(ends_.size() / 2);
  std::nth_element(ends_.begin(), middle, ends_.end());
  return *middle;
}

/// Gives away the time up to `until` and forgets the requests that ended by then.
void attribution::sweep(nanos until) {
  swept_once_ = true;
  boundaries_.clear();
  for (wire::u32 i = 0; i < requests_.size(); ++i) {
    auto& r = requests_[i];
    if (r.next == 0 && r.begin < swept_) join_late(r);
    for (wire::u8 k = r.next; k <= r.count; ++k) {
      const auto time = boundary_of(r, k);
      if (time > until) break;
      boundaries_.push_back({time, i});
    }
  }
  // One request's boundaries are in order already; equal times may come in any order between two.
  std::stable_sort(boundaries_.begin(), boundaries_.end(),
                   [](const boundary& a, const boundary& b) { return a.time < b.time; });
  for (const auto& b : boundaries_) {
    advance(b.time);
    pass(requests_[b.request]);
  }
  advance(until);
  forget([](const request& r) { return r.next > r.count; });
}

/// What it missed was given to others.
void attribution::join_late(request& r) noexcept {
  const auto missed = std::min(swept_, boundary_of(r, r.count)) - r.begin;
  if (!r.background) late_ns_ += static_cast<double>(missed.count());
  r.begin = swept_;
  for (wire::u8 k = 0; k < r.count; ++k) {
    auto& end = spans_[r.first + k].end;
    end = std::max(end, swept_);
  }
}

void attribution::advance(nanos to) noexcept {
  if (to <= swept_) return;
  const auto ns = static_cast<double>((to - swept_).count());
  swept_ = to;
  if (active_count_ > 0) {
    clock_ += ns / active_;
    busy_ns_ += ns;
    outstanding_ns_ += ns * active_;
  } else if (background_ > 0) {
    background_clock_ += ns / background_;
  } else {
    think_ns_ += ns;
  }
}

/// Gives the request what its clock moved in the phase that it is in.
void attribution::credit(request& r) noexcept {
  const double now = r.background ? background_clock_ : clock_;
  const double share = r.background ? 1.0 : r.weight;
  if (r.next > 0)
    ns_[r.slot][static_cast<wire::u8>(spans_[r.first + r.next - 1u].what)] +=
        (now - r.clock) * share;
  r.clock = now;
}

/// The request crosses its next boundary at the present time.
void attribution::pass(request& r) noexcept {
  credit(r);
  const bool begins = r.next == 0;
  ++r.next;
  const bool ends = r.next > r.count;
  if (!begins && !ends) return;
  if (r.background) {
    background_ += begins ? 1 : -1;
    return;
  }
  active_count_ += begins ? 1 : -1;
  active_ = active_count_ == 0 ? 0.0 : active_ + (begins ? r.weight : -r.weight);
}

std::vector<attribution::row> attribution::rows() const {
  std::vector<row> out;
  for (std::size_t slot = 0; slot < ns_.size(); ++slot)
    for (std::size_t p = 0; p < phase_count; ++p)
      if (ns_[slot][p] > 0)
        out.push_back({static_cast<phase>(p), key_at(slot), ns_[slot][p] / 1e9});
  if (think_ns_ > 0) out.push_back({phase::think, {}, think_ns_ / 1e9});
  std::stable_sort(out.begin(), out.end(),
                   [](const row& a, const row& b) { return a.seconds > b.seconds; });
  return out;
}

double attribution::seconds(operation_key key) const noexcept {
  double ns = 0;
  for (const double part : ns_[slot_of(key)])
    ns += part;
  return ns / 1e9;
}

double attribution::seconds(phase what) const noexcept {
  if (what == phase::think) return think_ns_ / 1e9;
  double ns = 0;
  for (const auto& by_phase : ns_)
    ns += by_phase[static_cast<wire::u8>(what)];
  return ns / 1e9;
}

double attribution::residual_seconds() const noexcept {
  double ns = wall_ns_ - think_ns_;
  for (const auto& by_phase : ns_)
    for (const double part : by_phase)
      ns -= part;
  return ns / 1e9;
}

double attribution::mean_outstanding() const noexcept {
  return busy_ns_ > 0 ? outstanding_ns_ / busy_ns_ : 0.0;
}

void attribution::merge(const attribution& other) {
  assert(!started_ && !other.started_);
  for (std::size_t slot = 0; slot < ns_.size(); ++slot)
    for (std::size_t p = 0; p < phase_count; ++p)
      ns_[slot][p] += other.ns_[slot][p];
  think_ns_ += other.think_ns_;
  wall_ns_ += other.wall_ns_;
  late_ns_ += other.late_ns_;
  busy_ns_ += other.busy_ns_;
  outstanding_ns_ += other.outstanding_ns_;
}

} // namespace profiler::timing
