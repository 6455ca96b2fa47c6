#include "profiler/report/headline.hpp"

#include "profiler/report/counted.hpp"
#include "profiler/report/json.hpp"
#include "wire/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace profiler::report {

namespace {

using timing::phase;

/// Parts below this share of the wall time are not worth a sentence.
constexpr double share_worth_telling = 0.05;
/// One request at a time, but for chance overlaps.
constexpr double serial_outstanding = 1.2;
/// Of waiting for the network and of the client's own time, above which parallel requests help.
constexpr double idle_share = 0.5;

struct cause {
  std::string text;
  double seconds;
};

std::vector<cause> causes_of(const result& r) {
  const auto& w = r.wall;
  const auto trips = r.operations.round_trips();
  const auto network = w.seconds(phase::network);
  const auto each = trips == 0 ? 0.0 : network / static_cast<double>(trips);
  std::vector<cause> out{
      {fmt::format("the network, {} of {}", counted(trips, "round trips"), seconds_text(each)),
       network},
      {"the server", w.seconds(phase::server)},
      {"network and server (RTT not known)", w.seconds(phase::network_server)},
      {"sending requests and replies",
       w.seconds(phase::request_transmit) + w.seconds(phase::response_transmit)},
      {"stalls inside messages", w.seconds(phase::stall)},
      {"waits by design or for lost replies", w.seconds(phase::waiting)},
      {"the client's own time", w.seconds(phase::think)}};
  std::sort(out.begin(), out.end(),
            [](const cause& a, const cause& b) { return a.seconds > b.seconds; });
  return out;
}

std::string main_causes(const result& r) {
  constexpr std::size_t bytes_max = 120;
  const double wall = r.wall.wall_seconds();
  auto sentence = fmt::format("Of {}:", seconds_text(wall));
  std::size_t told = 0;
  for (const auto& c : causes_of(r)) {
    if (c.seconds < wall * share_worth_telling || told == 3) break;
    const auto part =
        fmt::format("{} {:.0f} % {}", told == 0 ? "" : ";", 100 * c.seconds / wall, c.text);
    if (sentence.size() + part.size() >= bytes_max) break;
    sentence += part;
    ++told;
  }
  return sentence + ".";
}

std::string files_sentence(const analysis::file_table& files) {
  const auto& trips = files.round_trips();
  return fmt::format("{} files took {:.3g} round trips each (median {}, most {}).",
                     wire::text_of_count(files.count()), trips.mean_ns(),
                     trips.quantile(0.5).count(), trips.max().count());
}

} // namespace

std::string seconds_text(double seconds) {
  return wire::text_of(wire::nanos{static_cast<wire::i64>(std::llround(seconds * 1e9))});
}

std::vector<std::string> headline(const result& r) {
  std::vector<std::string> out;
  if (r.operations.count() == 0) {
    out.push_back(fmt::format("No answered NFS or SMB2 request in {}.",
                              counted(r.capture.packets, "packets")));
    return out;
  }
  const double wall = r.wall.wall_seconds();
  if (wall > 0) out.push_back(main_causes(r));
  if (r.files.count() > 1) out.push_back(files_sentence(r.files));
  const double idle = r.wall.seconds(phase::network) + r.wall.seconds(phase::network_server) +
                      r.wall.seconds(phase::think);
  if (wall > 0 && r.wall.mean_outstanding() <= serial_outstanding && idle > idle_share * wall &&
      r.operations.round_trips() > 10)
    out.push_back(
        "One request at a time, most of it waiting: fewer round trips or several requests "
        "at once help; bandwidth does not.");
  return out;
}

} // namespace profiler::report
