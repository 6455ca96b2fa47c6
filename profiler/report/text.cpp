#include "profiler/report/text.hpp"

#include "profiler/flow/operation_names.hpp"
#include "profiler/report/counted.hpp"
#include "profiler/report/headline.hpp"
#include "profiler/report/json.hpp"
#include "profiler/report/names.hpp"
#include "profiler/report/provenance.hpp"
#include "profiler/report/smb.hpp"
#include "smb2/types.hpp"
#include "wire/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace profiler::report {

namespace {

using timing::phase;
using wire::text_of_count;

// Together with headings and the headline these keep the report within 40 lines.
constexpr std::size_t phases_max = 6;
constexpr std::size_t operations_max = 6;
constexpr std::size_t sequences_max = 3;
constexpr std::size_t connection_lines_max = 2;
constexpr std::size_t remarks_max = 3;
constexpr std::size_t columns_max = 120;
constexpr std::size_t path_columns_max = 80;

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

/// Rounded as it is printed: "-0.000000" says no more than "0.000000".
double without_sign_of_zero(double seconds) noexcept {
  return std::round(seconds * 1e6) / 1e6 + 0.0;
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
                 "wall", total, "", without_sign_of_zero(wall.residual_seconds()),
                 wall.mean_outstanding());
}

/// Figures from clocks that went wrong may be of any size; their digits would only push the others
/// out of their columns.
std::string in_column(double value, int digits) {
  constexpr double widest = 1e8;
  return value < widest ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.3g}", value);
}

/// A dash where there is nothing to take a mean or a quantile of.
std::string us_text(bool known, double us) {
  return known ? in_column(us, 1) : "-";
}

std::string operation_line(const costed_operation& row) {
  const auto& s = *row.stats;
  const auto server = s.phases[phase::server];
  const auto quantile_us = [&](double q) {
    return us_text(s.latency.count() > 0, static_cast<double>(s.latency.quantile(q).count()) / 1e3);
  };
  const auto server_mean_us = static_cast<double>(server.count()) / 1e3 /
                              static_cast<double>(std::max<wire::u64>(s.phased, 1));
  return fmt::format("  {:<25} {:>8} {:>6} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8}",
                     fmt::format("{} {}", to_string(row.key.proto), flow::operation_name(row.key)),
                     s.count, s.errors, in_column(row.seconds, 6),
                     us_text(s.latency.count() > 0, s.latency.mean_ns() / 1e3), quantile_us(0.5),
                     quantile_us(0.99), us_text(s.srt.count() > 0, s.srt.mean_ns() / 1e3),
                     us_text(server.count() > 0, server_mean_us));
}

void operations_table(const result& r, output out) {
  const auto rows = by_seconds(r.operations, r.wall);
  if (rows.empty()) return;
  fmt::format_to(out, "\n{:<27}{:>9}{:>7}{:>11}{:>10}{:>10}{:>10}{:>10}{:>9}\n", "operation",
                 "count", "failed", "seconds", "mean µs", "p50 µs", "p99 µs", "SRT µs", "server");
  for (std::size_t i = 0; i < std::min(rows.size(), operations_max); ++i)
    fmt::format_to(out, "{}\n", operation_line(rows[i]));
  if (rows.size() <= operations_max) return;
  double seconds = 0;
  wire::u64 count = 0;
  for (std::size_t i = operations_max; i < rows.size(); ++i) {
    seconds += rows[i].seconds;
    count += rows[i].stats->count;
  }
  fmt::format_to(out, "  {:<25} {:>8} {:>6} {:>10.6f}\n",
                 counted(rows.size() - operations_max, "other operations"), count, "", seconds);
}

/// The end of a path tells more than its start.
std::string end_of_path(const std::string& path) {
  if (path.size() <= path_columns_max) return path;
  auto from = path.size() - path_columns_max;
  while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xC0) == 0x80)
    ++from;
  return "..." + path.substr(from);
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
    fmt::format_to(out, "  and {}\n", counted(sequences.size() - sequences_max, "other sequences"));
  if (r.slowest.size() > 1 && r.slowest[0].seconds > 0)
    fmt::format_to(out, "  slowest: {} ({}, {})\n", end_of_path(r.slowest[0].path),
                   seconds_text(r.slowest[0].seconds),
                   counted(r.slowest[0].round_trips, "round trips"));
}

std::string ends_of(const flow::connection& c) {
  auto text = fmt::format("  {} > {} {} {}", net::text_of(c.key.client), net::text_of(c.key.server),
                          protocols_text(c.protocols), c.key.tcp ? "tcp" : "udp");
  if (c.dialect != 0) text += fmt::format(" {}", to_string(static_cast<smb2::dialect>(c.dialect)));
  return text;
}

std::vector<std::string> facts_of(const flow::connection& c) {
  const auto& tcp = c.tcp();
  std::vector<std::string> out;
  if (tcp.rtt_from != net::rtt_source::none)
    out.push_back(
        fmt::format("RTT {} ({})", wire::text_of(tcp.rtt_min), rtt_source_text(tcp.rtt_from)));
  else if (c.key.tcp)
    out.emplace_back("RTT not known");
  if (mss_of(tcp) != 0) out.push_back(fmt::format("MSS {}", mss_of(tcp)));
  if (tcp.retransmitted > 0 || tcp.out_of_order > 0)
    out.push_back(
        fmt::format("{} retransmitted, {} out of order", tcp.retransmitted, tcp.out_of_order));
  if (tcp.zero_window.count() > 0)
    out.push_back(fmt::format("window closed {}", wire::text_of(tcp.zero_window)));
  return out;
}

/// One line, or two where the addresses are long.
std::vector<std::string> connection_lines(const flow::connection& c) {
  auto ends = ends_of(c);
  const auto facts = facts_of(c);
  if (facts.empty()) return {std::move(ends)};
  auto rest = fmt::format("{}", fmt::join(facts, ", "));
  if (ends.size() + rest.size() + 2 > columns_max) return {std::move(ends), "    " + rest};
  return {ends + ", " + rest};
}

void connections_table(const result& r, output out) {
  std::vector<const flow::connection*> list;
  for (const auto& c : r.connections)
    if (c.exchanges > 0) list.push_back(&c);
  if (list.empty()) return;
  std::stable_sort(list.begin(), list.end(),
                   [](const auto* a, const auto* b) { return a->exchanges > b->exchanges; });
  fmt::format_to(out, "\nconnections\n");
  std::size_t shown = 0;
  for (std::size_t used = 0; shown < list.size(); ++shown) {
    const auto lines = connection_lines(*list[shown]);
    used += lines.size();
    if (shown > 0 && used > connection_lines_max) break;
    fmt::format_to(out, "{}\n", fmt::join(lines, "\n"));
  }
  if (list.size() > shown) fmt::format_to(out, "  and {} more\n", list.size() - shown);
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
    if (n > 0) out.push_back(counted(n, what));
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

/// Empty where it is not known.
std::string_view place_text(timing::capture_point p) {
  switch (p) {
  case timing::capture_point::client:
    return "at the client";
  case timing::capture_point::server:
    return "at the server";
  case timing::capture_point::between:
    return "between client and server";
  case timing::capture_point::unknown:
    break;
  }
  return "";
}

void coverage_lines(const result& r, output out) {
  const auto& c = r.seen;
  const auto known = c.known_requests();
  const auto share = known == 0 ? "" : fmt::format(" ({:.2f} %)", 100 * c.share());
  fmt::format_to(out, "\ncoverage: {} of {} timed{}\n", text_of_count(c.timed),
                 counted(known, "requests"), share);
  const auto remarks = remarks_of(r);
  for (std::size_t i = 0; i < std::min(remarks.size(), remarks_max); ++i)
    fmt::format_to(out, "  {}\n", remarks[i]);
  if (remarks.size() > remarks_max)
    fmt::format_to(out, "  and {} (--json has all)\n",
                   counted(remarks.size() - remarks_max, "other remarks"));
}

/// "high, medium for network, server and 2 more": the figures that are less sure than most, as many
/// by name as `shown` says.
std::string confidence_text(const std::vector<figure>& figures, std::size_t shown) {
  std::vector<std::string> parts;
  bool doubts = false;
  for (const auto sure : {confidence::high, confidence::medium, confidence::low}) {
    std::vector<std::string_view> names;
    for (const auto& f : figures)
      if (f.sure == sure) names.push_back(f.name);
    if (names.empty()) continue;
    if (sure == confidence::high) {
      parts.emplace_back(to_string(sure));
      continue;
    }
    doubts = true;
    const auto more = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
    names.resize(std::min(names.size(), shown));
    parts.push_back(fmt::format("{} for {}{}", to_string(sure), fmt::join(names, ", "), more));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), doubts ? " (--json says why)" : "");
}

/// "captured at the client; confidence high, medium for network, server (--json says why)"
void confidence_line(const result& r, output out) {
  if (r.operations.count() == 0) return;
  const auto at = captured_at(r);
  const auto where = place_text(at.where);
  const auto place =
      where.empty() ? std::string()
                    : fmt::format("captured {}{}; ", where, at.several ? ", others elsewhere" : "");
  const auto figures = provenance_of(r);
  std::string line;
  for (std::size_t shown = 3; shown > 0; --shown) {
    line = fmt::format("{}confidence {}", place, confidence_text(figures, shown));
    if (line.size() <= columns_max) break;
  }
  if (line.size() > columns_max) line = place + "confidence differs (--json says how and why)";
  fmt::format_to(out, "{}\n", line);
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
