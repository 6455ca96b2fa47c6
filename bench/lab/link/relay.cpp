#include "bench/lab/link/relay.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace bench::lab::link {
namespace {

/// Frames taken from one device before the other direction gets its turn.
constexpr int batch = 32;
/// Neither credit nor debt piles up beyond this: what counts is the load of the last moments.
constexpr nanos spin_credit_limit = std::chrono::milliseconds{5};
constexpr nanos credit_interval = std::chrono::milliseconds{1};
/// How long frames gather when there are too many of them.
constexpr nanos gathering_time = std::chrono::microseconds{50};
/// A stamp older than this belongs to another frame, or the Unix clock was set.
constexpr nanos stamp_age_limit = std::chrono::milliseconds{100};
constexpr std::size_t largest_frame_bytes = maximum_mtu_bytes + ethernet_header_bytes + 4;

nanos read_clock(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return std::chrono::seconds{t.tv_sec} + nanos{t.tv_nsec};
}

nanos monotonic_now() {
  return read_clock(CLOCK_MONOTONIC);
}

/// Unix clock minus ours. An interruption between the readings would make frames come too early or
/// too late by its length, so of a few attempts the quickest counts.
nanos unix_offset() {
  constexpr nanos undisturbed = std::chrono::microseconds{1};
  nanos best = nanos::max(), offset{};
  for (int i = 0; i < 4 && best > undisturbed; ++i) {
    const nanos before = monotonic_now();
    const nanos unix_now = read_clock(CLOCK_REALTIME);
    const nanos took = monotonic_now() - before;
    if (took >= best) continue;
    best = took;
    offset = unix_now - before - took / 2;
  }
  return offset;
}

nanos round_trip(const link_settings& s) {
  return s.of(direction::up).delay + s.of(direction::down).delay;
}

} // namespace

relay::relay(tap a, tap b, control_server control, const link_settings& settings,
             std::uint64_t seed, spin_settings spin)
    : sides_{side{.device = std::move(a),
                  .outgoing = {settings.of(direction::up), settings.mtu_bytes, round_trip(settings),
                               seed * 2}},
             side{.device = std::move(b),
                  .outgoing = {settings.of(direction::down), settings.mtu_bytes,
                               round_trip(settings), seed * 2 + 1}}},
      control_{std::move(control)}, settings_{settings}, spin_{spin}, started_{monotonic_now()},
      buffer_(largest_frame_bytes) {
  credit_time_ = started_;
  credit_used_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
  overshoot_mean_ = spin_.limit / 2;
}

std::expected<void, std::string> relay::run(const volatile std::sig_atomic_t& stop,
                                            const sigset_t& waiting_mask) {
  while (stop == 0) {
    if (auto turned = turn(waiting_mask); !turned) return turned;
  }
  return {};
}

/// One turn: take what came, deliver what is due, then wait for the next of either.
std::expected<void, std::string> relay::turn(const sigset_t& waiting_mask) {
  bool busy = false;
  for (auto& from : sides_) {
    const auto took = take_frames(from);
    if (!took) return std::unexpected(took.error());
    busy |= *took;
  }
  const nanos now = monotonic_now();
  busy |= deliver(sides_[0], sides_[1], now);
  busy |= deliver(sides_[1], sides_[0], now);
  count_credit(now);
  if (spin_credit_ < -spin_credit_limit / 2) {
    // Too much to do each frame on its own. Stamps keep the time while a batch gathers.
    sleep_at_most(gathering_time, false, waiting_mask);
    return {};
  }
  if (busy) return {};
  const auto due = next_due();
  if (due && *due - now <= margin() && spin_credit_ > nanos{0}) return spin_until(*due);
  wait(due, waiting_mask);
  return {};
}

/// Time earns its share, the processor's time costs all of it. Asking for that is slow: now and
/// then.
void relay::count_credit(nanos now) {
  const nanos passed = now - credit_time_;
  if (passed < credit_interval) return;
  const nanos used = read_clock(CLOCK_THREAD_CPUTIME_ID);
  const nanos gained{static_cast<std::int64_t>(static_cast<double>(passed.count()) * spin_.share)};
  spin_credit_ = std::clamp(spin_credit_ + gained - (used - credit_used_), -spin_credit_limit,
                            spin_credit_limit);
  credit_time_ = now;
  credit_used_ = used;
}

std::expected<bool, std::string> relay::take_frames(side& from) {
  for (int i = 0; i < batch; ++i) {
    const auto frame = from.device.read(buffer_);
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) return i > 0;
    nanos arrival = monotonic_now();
    if (const auto stamp = from.device.stamps().take(**frame)) {
      const nanos stamped = *stamp - unix_offset();
      if (stamped <= arrival && arrival - stamped < stamp_age_limit) arrival = stamped;
      ++from.stamped;
    } else {
      ++from.unstamped;
    }
    from.outgoing.offer(arrival, **frame);
  }
  return true;
}

bool relay::deliver(side& from, side& to, nanos now) {
  bool any = false;
  for (int i = 0; i < batch; ++i) {
    const auto due = from.outgoing.next_due();
    if (!due || *due > now) break;
    if (!to.device.write(from.outgoing.front())) ++from.refused;
    from.outgoing.pop();
    const nanos late = now - *due;
    ++lateness_.frames;
    lateness_.over_50_us += late > std::chrono::microseconds{50} ? 1 : 0;
    lateness_.sum += late;
    lateness_.max = std::max(lateness_.max, late);
    any = true;
  }
  return any;
}

std::optional<nanos> relay::next_due() const {
  const auto up = sides_[0].outgoing.next_due();
  const auto down = sides_[1].outgoing.next_due();
  if (up && down) return std::min(*up, *down);
  return up ? up : down;
}

/// Takes frames while it spins: one that comes now may be due before the one waited for.
std::expected<void, std::string> relay::spin_until(nanos due) {
  const nanos begin = monotonic_now();
  nanos now = begin;
  bool came = false;
  while (now < due && !came) {
    for (auto& from : sides_) {
      const auto took = take_frames(from);
      if (!took) return std::unexpected(took.error());
      came |= *took;
    }
    now = monotonic_now();
  }
  spun_ += now - begin;
  return {};
}

/// Until something is due or comes.
void relay::wait(std::optional<nanos> due, const sigset_t& waiting_mask) {
  if (!due) {
    sleep_at_most(std::nullopt, true, waiting_mask);
    return;
  }
  const nanos target = spin_credit_ > nanos{0} ? *due - margin() : *due;
  const nanos left = std::max(target - monotonic_now(), nanos{0});
  if (sleep_at_most(left, true, waiting_mask)) learn_overshoot(monotonic_now() - target);
}

/// True when the time was over first. Serves the control socket, which nothing else does.
bool relay::sleep_at_most(std::optional<nanos> time, bool frames_wake, const sigset_t& mask) {
  poll_.clear();
  control_.add_to(poll_);
  const auto doors = static_cast<std::ptrdiff_t>(poll_.size());
  if (frames_wake)
    for (const auto& s : sides_)
      poll_.push_back({s.device.fd(), POLLIN, 0});
  timespec timeout{};
  if (time) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(*time);
    timeout = {whole.count(), (*time - whole).count()};
  }
  const int ready = ::ppoll(poll_.data(), poll_.size(), time ? &timeout : nullptr, &mask);
  const auto woke = [](const pollfd& p) { return p.revents != 0; };
  if (ready > 0 && std::any_of(poll_.begin(), poll_.begin() + doors, woke))
    control_.serve([this](const std::string& request) { return answer(request); });
  return ready == 0;
}

/// Mean and deviation as TCP keeps its round-trip time (RFC 6298 section 2).
void relay::learn_overshoot(nanos overshoot) {
  // One preemption says nothing about the timer.
  overshoot = std::clamp(overshoot, nanos{0}, 2 * spin_.limit);
  const nanos difference = overshoot - overshoot_mean_;
  overshoot_deviation_ += (std::chrono::abs(difference) - overshoot_deviation_) / 4;
  overshoot_mean_ += difference / 8;
}

nanos relay::margin() const {
  return std::min(overshoot_mean_ + 2 * overshoot_deviation_, spin_.limit);
}

} // namespace bench::lab::link
