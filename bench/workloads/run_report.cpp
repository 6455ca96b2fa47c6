#include "bench/workloads/run_report.hpp"

#include "profiler/report/json.hpp"
#include "profiler/timing/phase.hpp"
#include "wire/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace bench {

namespace {

using json = nlohmann::ordered_json;
using profiler::timing::attribution;
using profiler::timing::phase;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double per_second(wire::u64 n, double seconds) {
  return seconds > 0 ? static_cast<double>(n) / seconds : 0;
}

double round_trips_per_file(const phase_record& p) {
  return p.files == 0
             ? 0
             : static_cast<double>(p.operations.round_trips()) / static_cast<double>(p.files);
}

/// The phase's seconds are its wall: what lies before its first request and behind its last is the
/// client's own time, too.
json wall_of(const attribution& wall, double phase_seconds) {
  auto out = profiler::report::wall_of(wall);
  const double given = phase_seconds - out["residual_s"].get<double>();
  const double edges = phase_seconds - wall.wall_seconds();
  for (auto& part : out["attribution"]) {
    if (part["to"] == "think") part["seconds"] = part["seconds"].get<double>() + edges;
    part["share"] = given > 0 ? part["seconds"].get<double>() / given : 0.0;
  }
  out["seconds"] = phase_seconds;
  return out;
}

json view_of(const profiler::analysis::operation_table& operations, const attribution& wall,
             double phase_seconds) {
  json out;
  out["operations"] = profiler::report::operations_of(operations, wall);
  out["wall"] = wall_of(wall, phase_seconds);
  return out;
}

json phase_of(const phase_record& p, const wire_phase* wire) {
  json out;
  out["name"] = p.name;
  out["seconds"] = p.seconds();
  out["begin_unix_s"] = static_cast<double>(p.begin_unix.count()) / 1e9;
  out["end_unix_s"] = static_cast<double>(p.end_unix.count()) / 1e9;
  out["files"] = p.files;
  out["bytes"] = p.bytes;
  out["files_per_s"] = per_second(p.files, p.seconds());
  out["bytes_per_s"] = per_second(p.bytes, p.seconds());
  out["round_trips_per_file"] = round_trips_per_file(p);
  out.update(view_of(p.operations, p.wall, p.seconds()));
  if (wire) out["wire"] = view_of(wire->operations, wire->wall, p.seconds());
  return out;
}

/// The phases of the repeats side by side: i-th of each repeat.
std::vector<std::vector<const phase_record*>> by_phase(const run_result& run) {
  std::vector<std::vector<const phase_record*>> out(
      run.repeats.empty() ? 0 : run.repeats.front().size());
  for (const auto& repeat : run.repeats)
    for (std::size_t i = 0; i < std::min(out.size(), repeat.size()); ++i)
      out[i].push_back(&repeat[i]);
  return out;
}

double median_seconds(const std::vector<const phase_record*>& phases) {
  std::vector<double> seconds;
  for (const auto* p : phases)
    seconds.push_back(p->seconds());
  return median(std::move(seconds));
}

json median_of(const run_result& run) {
  json out;
  double total = 0;
  auto phases = json::array();
  for (const auto& repeats : by_phase(run)) {
    const double seconds = median_seconds(repeats);
    total += seconds;
    const auto& first = *repeats.front();
    json row;
    row["name"] = first.name;
    row["seconds"] = seconds;
    row["files_per_s"] = per_second(first.files, seconds);
    row["bytes_per_s"] = per_second(first.bytes, seconds);
    row["round_trips_per_file"] = round_trips_per_file(first);
    phases.push_back(std::move(row));
  }
  out["seconds"] = total;
  out["phases"] = std::move(phases);
  return out;
}

double us(wire::i64 ns) {
  return static_cast<double>(ns) / 1e3;
}

wire::i64 rank_of(const std::vector<wire::i64>& sorted, double q) {
  if (sorted.empty()) return 0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(q * last)];
}

json agreement_of(const agreement& a) {
  json out;
  out["requests"] = a.requests;
  out["joined"] = a.joined;
  out["client_at_least_wire_share"] =
      a.joined == 0 ? 0.0 : static_cast<double>(a.at_least_wire) / static_cast<double>(a.joined);
  out["difference_us"] = {{"min", us(rank_of(a.differences_ns, 0))},
                          {"p50", us(rank_of(a.differences_ns, 0.5))},
                          {"p99", us(rank_of(a.differences_ns, 0.99))},
                          {"max", us(rank_of(a.differences_ns, 1))}};
  return out;
}

/// Where the time went, phase by phase of the workload, the wire's view where there is one.
class attribution_table {
 public:
  explicit attribution_table(const run_result& run) {
    if (run.repeats.empty()) return;
    const auto& last = run.repeats.back();
    const auto skip = (run.repeats.size() - 1) * last.size();
    for (std::size_t i = 0; i < last.size(); ++i) {
      const auto& wall = run.wire ? run.wire->phases[skip + i].wall : last[i].wall;
      names_.push_back(last[i].name);
      add_column(wall, last[i].seconds());
    }
  }

  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("{:<34}", "");
    for (const auto& name : names_)
      out += fmt::format("{:>11}", name);
    out += '\n';
    for (const auto& [what, title] : titles) {
      const auto& row = seconds_[static_cast<std::size_t>(what)];
      const bool any = std::any_of(row.begin(), row.end(), [](double s) { return s >= 0.00005; });
      if (any) out += line(title, row);
    }
    out += line("(residual)", residual_);
    out += line("wall", wall_);
    return out;
  }

 private:
  static constexpr std::array<std::pair<phase, std::string_view>, 11> titles{
      {{phase::network, "network: the way there and back"},
       {phase::server, "server"},
       {phase::network_server, "network+server (no estimate)"},
       {phase::request_transmit, "request_transmit"},
       {phase::response_transmit, "response_transmit"},
       {phase::stall, "stall"},
       {phase::waiting, "waiting: pending replies"},
       {phase::queue, "queue"},
       {phase::encode, "encode"},
       {phase::decode, "decode"},
       {phase::think, "think: the client's own time"}}};

  void add_column(const attribution& wall, double phase_seconds) {
    double given = 0;
    for (std::size_t i = 0; i < profiler::timing::phase_count; ++i) {
      const auto what = static_cast<phase>(i);
      double s = wall.seconds(what);
      if (what == phase::think) s += phase_seconds - wall.wall_seconds();
      seconds_[i].push_back(s);
      given += s;
    }
    residual_.push_back(phase_seconds - given);
    wall_.push_back(phase_seconds);
  }

  static std::string line(std::string_view title, const std::vector<double>& row) {
    std::string out = fmt::format("{:<34}", title);
    for (const double s : row)
      out += fmt::format("{:>9.3f} s", s);
    return out + '\n';
  }

  std::vector<std::string> names_;
  std::array<std::vector<double>, profiler::timing::phase_count> seconds_;
  std::vector<double> residual_;
  std::vector<double> wall_;
};

std::string settings_text(const json& settings) {
  std::string out;
  for (const auto& [key, value] : settings.items()) {
    if (key == "durability" || key == "fragments") continue;
    const bool size = key == "rsize" || key == "wsize";
    const auto text = size                ? wire::text_of_bytes(value.get<wire::u64>())
                      : value.is_string() ? value.get<std::string>()
                                          : value.dump();
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", key, text);
  }
  return out;
}

std::string datagrams_text(const json& counts) {
  if (counts.is_null()) return {};
  const auto count = [&](const char* key) {
    return wire::text_of_count(counts[key].get<wire::u64>());
  };
  return fmt::format(
      "datagrams: {} calls sent again, {} duplicate and {} late replies, {} datagrams "
      "in fragments\n",
      count("retransmissions"), count("duplicate_replies"), count("late_replies"),
      count("fragmented"));
}

std::string phases_text(const run_result& run) {
  std::string out = fmt::format("{:<12}{:>10}{:>11}{:>10}{:>22}\n", "phase", "seconds", "files/s",
                                "MB/s", "round trips a file");
  double total = 0;
  for (const auto& repeats : by_phase(run)) {
    const double seconds = median_seconds(repeats);
    const auto& p = *repeats.front();
    total += seconds;
    out += fmt::format(
        "{:<12}{:>10.3f}{:>11.0f}{:>10}{:>22.2f}\n", p.name, seconds, per_second(p.files, seconds),
        p.bytes == 0 ? "" : fmt::format("{:.2f}", per_second(p.bytes, seconds) / 1e6),
        round_trips_per_file(p));
  }
  return out + fmt::format("{:<12}{:>10.3f}\n", "total", total);
}

std::string agreement_text(const agreement& a) {
  const double share =
      a.joined == 0 ? 0.0
                    : 100.0 * static_cast<double>(a.at_least_wire) / static_cast<double>(a.joined);
  return fmt::format("The wire agrees: {} of {} requests are in the capture; the client waited at "
                     "least as long as\n"
                     "the wire shows in {:.2f} % of them, {} more in the median (its own stack).\n",
                     wire::text_of_count(a.joined), wire::text_of_count(a.requests), share,
                     wire::text_of(wire::nanos{rank_of(a.differences_ns, 0.5)}));
}

} // namespace

json document_of(const run_result& run, const run_options& options) {
  json out;
  out["schema"] = "wiretrip.run/1";
  out["url"] = run.url;
  out["protocol"] = run.protocol;
  out["workload"] = "smallfile";
  auto settings = run.settings;
  settings["files"] = options.workload.files;
  settings["size"] = options.workload.size;
  settings["repeat"] = options.repeats;
  settings["depth"] = options.workload.depth;
  settings["per_compound"] = options.workload.group;
  out["settings"] = std::move(settings);
  if (run.round_trip_min) out["kernel_rtt_min_us"] = us(run.round_trip_min->count());
  out["verified"] = true; // a run with one wrong byte has no document
  auto repeats = json::array();
  std::size_t column = 0;
  for (std::size_t i = 0; i < run.repeats.size(); ++i) {
    auto phases = json::array();
    for (const auto& p : run.repeats[i])
      phases.push_back(phase_of(p, run.wire ? &run.wire->phases[column++] : nullptr));
    json repeat;
    repeat["phases"] = std::move(phases);
    if (!run.windows[i].is_null()) repeat["credits"] = run.windows[i];
    if (!run.datagrams[i].is_null()) repeat["datagrams"] = run.datagrams[i];
    repeats.push_back(std::move(repeat));
  }
  out["repeats"] = std::move(repeats);
  out["median"] = median_of(run);
  if (run.wire) {
    out["wire"] = profiler::report::analysis_document(run.wire->analysis);
    out["agreement"] = agreement_of(run.wire->both);
  }
  return out;
}

std::string text_of(const run_result& run, const run_options& options) {
  auto out = fmt::format(
      "smallfile over {}: {} files of {}, {} at a time, {}\n{}\n", run.protocol,
      wire::text_of_count(options.workload.files), wire::text_of_bytes(options.workload.size),
      options.workload.depth == 1 ? "one" : wire::text_of_count(options.workload.depth), run.url,
      settings_text(run.settings));
  for (const auto* key : {"durability", "fragments"})
    if (run.settings.contains(key))
      out += fmt::format("{}: {}\n", key, run.settings[key].get<std::string>());
  out += '\n' + phases_text(run);
  if (!run.datagrams.empty()) out += datagrams_text(run.datagrams.back());
  if (options.repeats > 1)
    out += fmt::format("(medians of {} repeats; below, the last one)\n", options.repeats);
  out += fmt::format("Every byte that was read back is the one that was written.\n\n"
                     "Where the time went, as {}\n{}",
                     run.wire ? "the wire shows it" : "the client saw it",
                     attribution_table(run).text());
  if (run.wire) out += '\n' + agreement_text(run.wire->both);
  return out;
}

} // namespace bench
