#include "cli/op_report.hpp"

#include "profiler/timing/phase.hpp"

#include <fmt/format.h>

namespace cli {

namespace {

using json = nlohmann::ordered_json;
using profiler::timing::phase;

double in_us(wire::nanos t) {
  return std::chrono::duration<double, std::micro>(t).count();
}

json phases_us(const wire::exchange& e) {
  profiler::timing::phase_sums sums;
  sums.add(profiler::timing::phases_of(e));
  json out = json::object();
  for (wire::u8 i = 0; i < profiler::timing::phase_count; ++i)
    if (const auto p = static_cast<phase>(i); sums[p] > wire::nanos{0})
      out[std::string(to_string(p))] = in_us(sums[p]);
  return out;
}

/// From the caller's question to its answer, which a client knows of every request.
double total_us(const wire::exchange& e) {
  if (!wire::known(e.t.submitted) || !wire::known(e.t.completed)) return 0;
  return in_us(e.t.completed - e.t.submitted);
}

} // namespace

void op_report::on_exchange(const wire::exchange& e) {
  json row;
  row["protocol"] = std::string(to_string(e.proto));
  row["operation"] = names_.operation(e);
  row["id"] = e.id;
  row["replied"] = e.replied;
  if (e.replied) row["status"] = names_.status(e);
  row["failed"] = e.failed;
  if (e.data_bytes > 0) row["bytes"] = e.data_bytes;
  row["total_us"] = total_us(e);
  if (e.timed()) row["latency_us"] = in_us(e.latency());
  row["phases_us"] = phases_us(e);
  if (as_json_) {
    exchanges_.push_back(std::move(row));
    return;
  }
  fmt::print(to_, "{:<16} {}  {:.1f} us", row["operation"].get<std::string>(),
             e.replied ? names_.status(e) : "not answered", total_us(e));
  for (const auto& [name, us] : row["phases_us"].items())
    fmt::print(to_, "  {} {:.1f}", name, us.get<double>());
  fmt::print(to_, "\n");
  std::fflush(to_);
}

void op_report::detail(const std::string& name, const std::string& value) {
  if (value.empty()) return;
  if (!as_json_) {
    fmt::print(to_, "  {:<10} {}\n", name, value);
    std::fflush(to_);
    return;
  }
  if (exchanges_.empty()) return;
  auto& row = exchanges_.back();
  if (name == "request" || name == "response")
    row[name] = value;
  else
    row["payload"].push_back({{"name", name}, {"fields", value}});
}

json op_report::document(std::string_view url, std::string_view operation) const {
  json out;
  out["schema"] = "wiretrip.op/1";
  out["url"] = url;
  out["operation"] = operation;
  out["exchanges"] = exchanges_;
  return out;
}

} // namespace cli
