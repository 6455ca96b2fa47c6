#include "profiler/report/text.hpp"

#include "profiler/flow/operation_names.hpp"
#include "profiler/report/headline.hpp"
#include "profiler/report/json.hpp"
#include "profiler/report/names.hpp"
#include "profiler/report/provenance.hpp"
#include "profiler/report/smb.hpp"
#include "smb2/types.hpp"
#include "wire/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace profiler::report {

namespace {

using timing::phase;
using wire::text_of_count;

// Together with headings and the headline these keep the report within 40 lines.
constexpr std::size_t phases_max = 6;
constexpr std::size_t operations_max = 7;
constexpr std::size_t sequences_max = 3;
constexpr std::size_t connections_max = 2;
constexpr std::size_t remarks_max = 3;

using output = std::back_insert_iterator<std::string>;

/// "CREATE 8.41, WRITE 1.52" of one phase.
std::string biggest_of(const std::vector<timing::attribution::row>& rows, phase what) {
  std::vector<std::string> parts;
  std::size_t more = 0;
  for (const auto& row : rows) {
    if (row.what != what) continue;
    if (parts.size() < 3)
      parts.push_back(fmt::format("{} {:.3g}", flow::operation_name(row.of), row.seconds));
    else
      ++more;
  }
  if (more > 0) parts.push_back(fmt::format("{} more", more));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void attribution_table(const timing::attribution& wall, output out) {
  const double total = wall.wall_seconds();
  if (total <= 0) return;
  const auto rows = wall.rows();
  std::vector<std::pair<phase, double>> phases;
  for (std::size_t i = 0; i < timing::phase_count; ++i) {
    const auto p = static_cast<phase>(i);
    if (wall.seconds(p) > 0) phases.emplace_back(p, wall.seconds(p));
  }
  std::stable_sort(phases.begin(), phases.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (phases.size() > phases_max) phases.resize(phases_max);
  fmt::format_to(out, "\n{:<20}{:>11}{:>8}  {}\n", "where the time went", "seconds", "share",
                 "most of it");
  for (const auto& [p, seconds] : phases)
    fmt::format_to(out, "  {:<18}{:>11.6f}{:>7.1f}%  {}\n", to_string(p), seconds,
                   100 * seconds / total, p == phase::think ? "" : biggest_of(rows, p));
  fmt::format_to(out, "  {:<18}{:>11.6f}{:>8}  residual {:.6f}, {:.2f} requests outstanding\n",
                 "wall", total, "", wall.residual_seconds(), wall.mean_outstanding());
}

double mean_us(wire::nanos sum, wire::u64 n) noexcept {
  return n == 0 ? 0.0 : static_cast<double>(sum.count()) / 1e3 / static_cast<double>(n);
}

/// A tenth of a microsecond is of interest below a second, and there is room for it.
std::string us_text(double us) {
  return us < 1e6 ? fmt::format("{:.1f}", us) : fmt::format("{:.0f}", us);
}

void operations_table(const result& r, output out) {
  const auto rows = by_seconds(r.operations, r.wall);
  if (rows.empty()) return;
  fmt::format_to(out, "\n{:<28}{:>9}{:>7}{:>11}{:>10}{:>10}{:>10}{:>10}{:>9}\n", "operation",
                 "count", "failed", "seconds", "mean µs", "p50 µs", "p99 µs", "SRT µs", "server");
  for (std::size_t i = 0; i < std::min(rows.size(), operations_max); ++i) {
    const auto& s = *rows[i].stats;
    const auto server = s.phases[phase::server];
    fmt::format_to(
        out, "  {:<26}{:>9}{:>7}{:>11.6f}{:>10}{:>10}{:>10}{:>10}{:>9}\n",
        fmt::format("{} {}", to_string(rows[i].key.proto), flow::operation_name(rows[i].key)),
        s.count, s.errors, rows[i].seconds, us_text(s.latency.mean_ns() / 1e3),
        us_text(static_cast<double>(s.latency.quantile(0.5).count()) / 1e3),
        us_text(static_cast<double>(s.latency.quantile(0.99).count()) / 1e3),
        us_text(s.srt.mean_ns() / 1e3),
        server.count() == 0 ? "-" : us_text(mean_us(server, s.phased)));
  }
  if (rows.size() <= operations_max) return;
  double seconds = 0;
  wire::u64 count = 0;
  for (std::size_t i = operations_max; i < rows.size(); ++i) {
    seconds += rows[i].seconds;
    count += rows[i].stats->count;
  }
  fmt::format_to(out, "  {:<26}{:>9}{:>7}{:>11.6f}\n",
                 fmt::format("{} other operations", rows.size() - operations_max), count, "",
                 seconds);
}

void files_table(const result& r, output out) {
  const auto sequences = r.files.sequences();
  if (sequences.empty()) return;
  fmt::format_to(out, "\n{:<40}{:>9}{:>13}{:>12}\n", "what was done to a file", "times",
                 "round trips", "seconds");
  for (std::size_t i = 0; i < std::min(sequences.size(), sequences_max); ++i) {
    const auto& s = sequences[i];
    auto name = fmt::format("{}", fmt::join(sequence_names(s.steps), " "));
    constexpr std::size_t width = 38;
    if (name.size() > width) name = name.substr(0, width - 3) + "...";
    fmt::format_to(out, "  {:<38}{:>9}{:>13}{:>12.6f}\n", name, s.visits, s.round_trips, s.seconds);
  }
  if (sequences.size() > sequences_max)
    fmt::format_to(out, "  and {} other sequences\n", sequences.size() - sequences_max);
  if (r.slowest.size() > 1 && r.slowest[0].seconds > 0)
    fmt::format_to(out, "  slowest: {} ({}, {} round trips)\n", r.slowest[0].path,
                   seconds_text(r.slowest[0].seconds), r.slowest[0].round_trips);
}

std::string connection_line(const flow::connection& c) {
  const auto& tcp = c.tcp();
  auto line = fmt::format("  {} > {} {} {}", net::text_of(c.key.client), net::text_of(c.key.server),
                          protocols_text(c.protocols), c.key.tcp ? "tcp" : "udp");
  if (c.dialect != 0) line += fmt::format(" {}", to_string(static_cast<smb2::dialect>(c.dialect)));
  if (tcp.rtt_from != net::rtt_source::none)
    line += fmt::format(", RTT {} ({})", wire::text_of(tcp.rtt_min), rtt_source_text(tcp.rtt_from));
  else if (c.key.tcp)
    line += ", RTT not known";
  if (mss_of(tcp) != 0) line += fmt::format(", MSS {}", mss_of(tcp));
  if (tcp.retransmitted > 0 || tcp.out_of_order > 0)
    line += fmt::format(", {} retransmitted, {} out of order", tcp.retransmitted, tcp.out_of_order);
  if (tcp.zero_window.count() > 0)
    line += fmt::format(", window closed {}", wire::text_of(tcp.zero_window));
  return line;
}

void connections_table(const result& r, output out) {
  std::vector<const flow::connection*> list;
  for (const auto& c : r.connections)
    if (c.exchanges > 0) list.push_back(&c);
  if (list.empty()) return;
  std::stable_sort(list.begin(), list.end(),
                   [](const auto* a, const auto* b) { return a->exchanges > b->exchanges; });
  fmt::format_to(out, "\nconnections\n");
  for (std::size_t i = 0; i < std::min(list.size(), connections_max); ++i)
    fmt::format_to(out, "{}\n", connection_line(*list[i]));
  if (list.size() > connections_max)
    fmt::format_to(out, "  and {} more\n", list.size() - connections_max);
}

/// " (3 in gaps, 1 outstanding at the end)": the known reasons of a counter.
std::string reasons_of(const flow::coverage& c, wire::u64 flow::coverage::*what) {
  std::vector<std::string> parts;
  for (const auto& counter : flow::coverage_counters)
    if (counter.part_of == what && c.*counter.count > 0)
      parts.push_back(fmt::format("{} {}", text_of_count(c.*counter.count), counter.remark));
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

/// What is not known, and what may be wrong about the rest.
std::vector<std::string> remarks_of(const result& r) {
  std::vector<std::string> out;
  const auto& c = r.seen;
  const auto tell = [&out](wire::u64 n, std::string_view what) {
    if (n > 0) out.push_back(fmt::format("{} {}", text_of_count(n), what));
  };
  tell(static_cast<wire::u64>(
           std::count_if(r.connections.begin(), r.connections.end(),
                         [](const auto& x) { return x.tcp().unseen != net::unseen_side::none; })),
       "connections of which one direction alone was captured");
  tell(r.capture.filtered_out, "packets left out by the filter");
  for (const auto& counter : flow::coverage_counters)
    if (!counter.remark.empty() && counter.part_of == nullptr)
      tell(c.*counter.count, std::string(counter.remark) + reasons_of(c, counter.count));
  for (auto& sentence : smb_sentences(r.smb))
    out.push_back(std::move(sentence));
  tell(r.capture.dropped, "packets dropped while capturing");
  tell(r.capture.cut_packets, "packets captured shorter than they were");
  tell(r.capture.details.damaged_bytes, "bytes of the file passed over as damaged");
  tell(r.capture.details.link_errors, "packets received with an error of the link");
  for (const auto& s : r.capture.details.secrets)
    tell(s.count, "blocks of secrets in the file: " + s.name);
  tell(r.capture.time_steps_back, "packets earlier than the one before");
  for (const auto& n : net::not_analysed(r.network))
    tell(n.count, n.name);
  if (std::any_of(r.connections.begin(), r.connections.end(),
                  [](const auto& x) { return x.tcp().offload_seen; }))
    out.push_back("segments larger than the MSS: transmit times are lower bounds");
  return out;
}

std::string_view place_text(timing::capture_point p) {
  switch (p) {
  case timing::capture_point::client:
    return "at the client";
  case timing::capture_point::server:
    return "at the server";
  case timing::capture_point::between:
    return "between client and server";
  case timing::capture_point::unknown:
    return "at an unknown place";
  }
  return "";
}

void coverage_lines(const result& r, output out) {
  const auto& c = r.seen;
  fmt::format_to(out, "\ncoverage: {} of {} requests timed ({:.2f} %)\n", text_of_count(c.timed),
                 text_of_count(c.known_requests()), 100 * c.share());
  const auto remarks = remarks_of(r);
  for (std::size_t i = 0; i < std::min(remarks.size(), remarks_max); ++i)
    fmt::format_to(out, "  {}\n", remarks[i]);
  if (remarks.size() > remarks_max)
    fmt::format_to(out, "  and {} other remarks (--json has all)\n", remarks.size() - remarks_max);
}

/// "captured at the client; confidence high, medium: network server (--json says why)"
void confidence_line(const result& r, output out) {
  if (r.operations.count() == 0) return;
  const auto at = captured_at(r);
  auto line = fmt::format("captured {}{}; confidence high", place_text(at.where),
                          at.several ? ", others elsewhere" : "");
  bool any = false;
  for (const auto sure : {confidence::medium, confidence::low}) {
    std::vector<std::string_view> names;
    for (const auto& f : provenance_of(r))
      if (f.sure == sure) names.push_back(f.name);
    if (names.empty()) continue;
    any = true;
    constexpr std::size_t shown = 3;
    const auto more = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
    names.resize(std::min(names.size(), shown));
    line += fmt::format(", {}: {}{}", to_string(sure), fmt::join(names, " "), more);
  }
  fmt::format_to(out, "{}{}\n", line, any ? " (--json says why)" : "");
}

} // namespace

std::string text_of(const result& r) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const auto& sentence : headline(r))
    fmt::format_to(out, "{}\n", sentence);
  attribution_table(r.wall, out);
  operations_table(r, out);
  files_table(r, out);
  connections_table(r, out);
  coverage_lines(r, out);
  confidence_line(r, out);
  return text;
}

} // namespace profiler::report
