#include "profiler/timing/phase.hpp"

#include <algorithm>
#include <numeric>

namespace profiler::timing {

namespace {

using wire::known;

class list_builder {
 public:
  list_builder(nanos begin, nanos end) noexcept : limit_(std::max(begin, end)) {
    list_.begin = begin;
  }

  [[nodiscard]] nanos at() const noexcept { return list_.end(); }

  void until(phase what, nanos end) noexcept {
    if (!known(end)) return;
    end = std::min(end, limit_);
    if (end <= at()) return;
    list_.spans[list_.count++] = {what, end};
  }

  /// `what` until `end`, of which the last `stall` is one.
  void until_with_stall(phase what, nanos end, nanos stall) noexcept {
    if (!known(end)) return;
    const auto share = std::clamp(stall, nanos{0}, std::max(end - at(), nanos{0}));
    until(what, end - share);
    until(phase::stall, end);
  }

  [[nodiscard]] const phase_list& list() const noexcept { return list_; }

 private:
  phase_list list_;
  nanos limit_;
};

nanos first_known(const wire::exchange_times& t) noexcept {
  for (const auto time : {t.submitted, t.granted, t.encoded, t.q0, t.q1, t.r0, t.r1})
    if (known(time)) return time;
  return nanos{0};
}

nanos last_known(const wire::exchange_times& t) noexcept {
  for (const auto time : {t.completed, t.r1, t.r0, t.q1, t.q0})
    if (known(time)) return time;
  return nanos{0};
}

/// From the last byte of the call to the first of the reply.
void add_service(list_builder& b, const wire::exchange& e) noexcept {
  const bool apart = e.interim || e.long_wait;
  if (!known(e.t.r0)) {
    b.until(apart ? phase::waiting : phase::network_server, e.t.r1);
    return;
  }
  if (!known(e.network)) {
    b.until(apart ? phase::waiting : phase::network_server, e.t.r0);
    return;
  }
  const auto way = std::clamp(e.network, nanos{0}, std::max(e.t.r0 - b.at(), nanos{0}));
  b.until(phase::network, b.at() + way / 2);
  b.until(apart ? phase::waiting : phase::server, e.t.r0 - (way - way / 2));
  b.until(phase::network, e.t.r0);
}

} // namespace

std::string_view to_string(phase p) noexcept {
  switch (p) {
  case phase::queue:
    return "queue";
  case phase::encode:
    return "encode";
  case phase::request_transmit:
    return "request_transmit";
  case phase::network:
    return "network";
  case phase::server:
    return "server";
  case phase::network_server:
    return "network+server";
  case phase::response_transmit:
    return "response_transmit";
  case phase::decode:
    return "decode";
  case phase::stall:
    return "stall";
  case phase::waiting:
    return "waiting";
  case phase::think:
    return "think";
  }
  return "unknown";
}

phase_list phases_of(const wire::exchange& e) noexcept {
  const auto& t = e.t;
  list_builder b(first_known(t), last_known(t));
  b.until(phase::queue, t.granted);
  b.until(phase::encode, t.encoded);
  b.until(phase::encode, t.q0);
  b.until_with_stall(phase::request_transmit, t.q1, e.request_stall);
  b.until(phase::stall, t.resent);
  if (!e.replied) {
    b.until(phase::waiting, t.completed);
    return b.list();
  }
  add_service(b, e);
  b.until_with_stall(phase::response_transmit, t.r1, e.reply_stall);
  b.until(phase::decode, t.completed);
  return b.list();
}

void phase_sums::add(const phase_list& list) noexcept {
  auto at = list.begin;
  for (u8 i = 0; i < list.count; ++i) {
    const auto& span = list.spans[i];
    of[static_cast<u8>(span.what)] += span.end - at;
    at = span.end;
  }
}

nanos phase_sums::total() const noexcept {
  return std::accumulate(of.begin(), of.end(), nanos{0});
}

void phase_sums::merge(const phase_sums& other) noexcept {
  for (std::size_t i = 0; i < phase_count; ++i)
    of[i] += other.of[i];
}

} // namespace profiler::timing
