#include "profiler/compare/side.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace profiler::compare {

namespace {

using json = nlohmann::ordered_json;

/// "server: nfs3 CREATE" → server, nfs3, CREATE; "think" → think.
part part_of(const json& row) {
  part out;
  const auto to = row.at("to").get<std::string>();
  out.seconds = row.at("seconds").get<double>();
  const auto colon = to.find(": ");
  out.phase = to.substr(0, colon);
  if (colon == std::string::npos) return out;
  const auto of = to.substr(colon + 2);
  const auto space = of.find(' ');
  out.protocol = of.substr(0, space);
  if (space != std::string::npos) out.operation = of.substr(space + 1);
  return out;
}

operation_cost cost_of(const json& row) {
  operation_cost out;
  out.protocol = row.at("protocol").get<std::string>();
  out.operation = row.at("operation").get<std::string>();
  out.count = row.at("count").get<u64>();
  const auto& phases = row.at("phases_us");
  out.server_us_mean = phases.value("server", 0.0) + phases.value("network+server", 0.0);
  return out;
}

/// From an object with `wall` and `operations`, as runs and analyses have it.
stretch stretch_of(const json& view, std::string name) {
  stretch out;
  out.name = std::move(name);
  const auto& wall = view.at("wall");
  out.seconds = wall.at("seconds").get<double>();
  out.residual_seconds = wall.at("residual_s").get<double>();
  for (const auto& row : wall.at("attribution"))
    out.parts.push_back(part_of(row));
  for (const auto& row : view.at("operations")) {
    out.operations.push_back(cost_of(row));
    out.round_trips += out.operations.back().count - row.value("in_compounds", u64{0});
    out.bytes += row.at("bytes").get<u64>();
  }
  return out;
}

stretch phase_stretch(const json& phase, const json& view) {
  auto out = stretch_of(view, phase.at("name").get<std::string>());
  out.files = phase.at("files").get<u64>();
  return out;
}

double seconds_of(const json& repeat) {
  double out = 0;
  for (const auto& phase : repeat.at("phases"))
    out += phase.at("seconds").get<double>();
  return out;
}

const json& median_repeat(const json& repeats) {
  std::vector<const json*> sorted;
  for (const auto& repeat : repeats)
    sorted.push_back(&repeat);
  if (sorted.empty()) throw std::runtime_error("the run has no repeat");
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const json* a, const json* b) { return seconds_of(*a) < seconds_of(*b); });
  return *sorted[(sorted.size() - 1) / 2];
}

stretch whole_of(const json& analysis) {
  auto out = stretch_of(analysis, "all");
  out.files = analysis.at("files").at("count").get<u64>();
  return out;
}

side run_side(const json& document) {
  side out;
  out.protocol = document.at("protocol").get<std::string>();
  out.file_bytes = document.at("settings").value("size", u64{0});
  for (const auto& phase : median_repeat(document.at("repeats")).at("phases")) {
    out.phases.push_back(phase_stretch(phase, phase));
    if (phase.contains("wire")) out.wire_phases.push_back(phase_stretch(phase, phase.at("wire")));
  }
  if (document.contains("wire")) out.whole.push_back(whole_of(document.at("wire")));
  return out;
}

side analysis_side(const json& document) {
  side out;
  out.whole.push_back(whole_of(document));
  // Named by what most of its requests are.
  std::vector<std::pair<u64, std::string>> counts;
  for (const auto& op : out.whole.front().operations) {
    auto found = std::find_if(counts.begin(), counts.end(),
                              [&](const auto& c) { return c.second == op.protocol; });
    if (found == counts.end()) found = counts.insert(counts.end(), {0, op.protocol});
    found->first += op.count;
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  out.protocol = most == counts.end() ? "nothing" : most->second;
  return out;
}

} // namespace

void stretch::add(const stretch& other) {
  seconds += other.seconds;
  files = std::max(files, other.files); // the phases of a run work on the same files
  round_trips += other.round_trips;
  bytes += other.bytes;
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  residual_seconds += other.residual_seconds;
  for (const auto& op : other.operations) {
    const auto same = std::find_if(operations.begin(), operations.end(), [&](const auto& mine) {
      return mine.protocol == op.protocol && mine.operation == op.operation;
    });
    if (same == operations.end()) {
      operations.push_back(op);
      continue;
    }
    const auto total = static_cast<double>(same->count + op.count);
    if (total > 0)
      same->server_us_mean = (same->server_us_mean * static_cast<double>(same->count) +
                              op.server_us_mean * static_cast<double>(op.count)) /
                             total;
    same->count += op.count;
  }
}

std::expected<side, std::string> side_of(const json& document, std::string name) {
  const auto schema = document.is_object() ? document.value("schema", "") : std::string();
  try {
    side out;
    if (schema == "wiretrip.run/1")
      out = run_side(document);
    else if (schema == "wiretrip.analysis/1")
      out = analysis_side(document);
    else
      return std::unexpected(fmt::format(
          "{}: expected a capture or a document of schema wiretrip.run/1 or wiretrip.analysis/1, "
          "found {}",
          name, schema.empty() ? "neither" : "schema " + schema));
    out.name = std::move(name);
    return out;
  } catch (const std::exception& error) {
    return std::unexpected(
        fmt::format("{}: not a whole {} document: {}", name, schema, error.what()));
  }
}

} // namespace profiler::compare
