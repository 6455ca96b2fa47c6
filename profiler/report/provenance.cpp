#include "profiler/report/provenance.hpp"

#include "profiler/report/counted.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace profiler::report {

namespace {

using timing::capture_point;
using wire::u64;

constexpr double share_high = 0.99;
constexpr double share_medium = 0.90;

void lower(figure& f, confidence to, std::string reason) {
  f.sure = std::max(f.sure, to);
  f.reasons.push_back(std::move(reason));
}

/// What the requests of one result have in common.
struct facts {
  u64 answered = 0;
  u64 latencies = 0;
  u64 srts = 0;
  u64 phased = 0;
  u64 by_handshake = 0; ///< requests on connections whose round trip comes from it
  u64 by_ack = 0;
  u64 without_rtt = 0;
  bool offload = false;
  place at;

  explicit facts(const result& r) : at(captured_at(r)) {
    for (const auto& [key, s] : r.operations.rows()) {
      answered += s.count - s.waits;
      latencies += s.latency.count();
      srts += s.srt.count();
      phased += s.phased;
    }
    for (const auto& c : r.connections) {
      const auto& tcp = c.tcp();
      offload = offload || (tcp.offload_seen && c.exchanges > 0);
      (!c.key.tcp || tcp.rtt_from == net::rtt_source::none ? without_rtt
       : tcp.rtt_from == net::rtt_source::data_ack         ? by_ack
                                                           : by_handshake) += c.exchanges;
    }
  }
};

/// The share of what could have been counted, and what is wrong with the capture as a whole.
void judge(figure& f, const result& r) {
  if (f.n == 0) {
    f.sure = confidence::none;
    return;
  }
  const auto share = static_cast<double>(f.n) / static_cast<double>(std::max(f.n, f.of));
  if (share < share_high)
    lower(f, share < share_medium ? confidence::low : confidence::medium,
          fmt::format("{:.1f} % of them", 100 * share));
  if (r.capture.dropped > 0)
    lower(f, confidence::medium, counted(r.capture.dropped, "packets dropped while capturing"));
  if (r.capture.time_steps_back > 0)
    lower(f, confidence::medium, "packets are not in the order of their times");
}

figure of_requests(std::string_view name, std::string_view definition, u64 n, const result& r) {
  figure f{.name = name, .definition = definition, .n = n, .of = r.seen.known_requests()};
  judge(f, r);
  return f;
}

figure of_network(std::string_view name, std::string_view definition, const facts& x,
                  const result& r) {
  auto f = of_requests(name, definition, x.by_handshake + x.by_ack == 0 ? 0 : x.phased, r);
  if (f.n == 0) {
    f.reasons.push_back("no round trip time can be trusted: network+server holds both");
    return f;
  }
  if (x.without_rtt > 0)
    lower(f, confidence::medium,
          fmt::format("in its place network+server, of {}", counted(x.without_rtt, "requests")));
  if (x.by_ack > 0)
    lower(f, confidence::medium,
          fmt::format("for {} the round trip comes from acknowledgements, not from the handshake",
                      counted(x.by_ack, "requests")));
  return f;
}

figure of_transmit(std::string_view name, std::string_view definition, const facts& x,
                   const result& r) {
  auto f = of_requests(name, definition, x.phased, r);
  if (x.offload && f.n > 0)
    lower(f, confidence::medium, "a lower bound: segments were captured before they were cut");
  return f;
}

figure of_think(const facts& x, const result& r) {
  auto f = of_requests("think", "nothing outstanding: the client's own time", x.phased, r);
  if (f.n > 0 && x.at.where != capture_point::client)
    lower(f, confidence::medium,
          "the way between client and capture point is in it where that is not at the client");
  return f;
}

figure of_files(const result& r) {
  figure f{.name = "round_trips_per_file",
           .definition = "round trips of one handle (NFS) or name (SMB2), over all of the capture",
           .n = r.files.count(),
           .of = r.files.count() + r.files.evicted()};
  judge(f, r);
  if (r.seen.share() < share_high && f.n > 0)
    lower(f, confidence::medium, "round trips are missing");
  return f;
}

} // namespace

std::string_view to_string(confidence c) noexcept {
  constexpr std::array<std::string_view, 4> names{"high", "medium", "low", "none"};
  return names[static_cast<std::size_t>(c)];
}

place captured_at(const result& r) {
  std::array<u64, 4> requests{};
  for (const auto& c : r.connections)
    if (c.key.tcp)
      requests[static_cast<std::size_t>(timing::capture_point_of(c.tcp()))] += c.exchanges;
  requests[0] = 0; // unknown says nothing against the others
  const auto most = std::max_element(requests.begin(), requests.end());
  if (*most == 0) return {};
  const auto with = std::count_if(requests.begin(), requests.end(), [](u64 n) { return n > 0; });
  return {static_cast<capture_point>(most - requests.begin()), with > 1};
}

std::vector<figure> provenance_of(const result& r) {
  const facts x(r);
  return {
      of_requests("latency", "r1 − q0: first byte of the call to last byte of the reply",
                  x.latencies, r),
      of_requests("srt", "r1 − q1: last byte of the call to last byte of the reply", x.srts, r),
      of_transmit("request_transmit", "q1 − q0, without stalls", x, r),
      of_network("network", "what the round trip and the line explain of r0 − q1", x, r),
      of_network("server", "r0 − q1 − network, never negative", x, r),
      of_transmit("response_transmit", "r1 − r0, without stalls", x, r),
      of_think(x, r),
      of_requests("wall", "first byte of the first call to last byte of the last reply", x.answered,
                  r),
      of_files(r),
  };
}

} // namespace profiler::report
