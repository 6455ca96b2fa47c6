#include "profiler/report/json.hpp"

#include "profiler/flow/operation_names.hpp"
#include "profiler/report/capture_json.hpp"
#include "profiler/report/names.hpp"
#include "profiler/report/provenance.hpp"
#include "profiler/report/smb.hpp"
#include "smb2/types.hpp"

namespace profiler::report {

namespace {

using timing::phase;

constexpr std::size_t sequences_max = 50;

double us(wire::nanos t) noexcept {
  return static_cast<double>(t.count()) / 1e3;
}

/// Phases that an operation has none of are left out, as is `queue` on the wire.
json phases_of(const analysis::operation_stats& s) {
  auto out = json::object();
  if (s.phased == 0) return out;
  for (std::size_t i = 0; i < timing::phase_count; ++i) {
    const auto p = static_cast<phase>(i);
    const auto sum = s.phases[p];
    if (sum.count() == 0) continue;
    out[std::string(to_string(p))] = us(sum) / static_cast<double>(s.phased);
  }
  return out;
}

json operation_row(analysis::operation_key key, const analysis::operation_stats& s,
                   double seconds) {
  json row;
  row["protocol"] = to_string(key.proto);
  row["operation"] = flow::operation_name(key);
  row["count"] = s.count;
  row["errors"] = s.errors;
  row["bytes"] = s.bytes;
  row["latency_us"] = microseconds_of(s.latency);
  row["srt_us"] = microseconds_of(s.srt);
  row["phases_us"] = phases_of(s);
  row["seconds"] = seconds;
  row["number"] = key.operation;
  row["unanswered"] = s.unanswered;
  row["retried"] = s.retried;
  if (s.retried > 0) row["retry_wait_s"] = us(s.retry_wait) / 1e6;
  row["in_compounds"] = s.parts;
  row["request_bytes"] = s.request_bytes;
  row["reply_bytes"] = s.reply_bytes;
  if (s.waits > 0) {
    row["waits"] = {{"count", s.waits},
                    {"latency_us", microseconds_of(s.wait)},
                    {"srt_mean_us", us(s.wait_srt_sum) / static_cast<double>(s.waits)}};
  }
  return row;
}

json coverage_of(const flow::coverage& c) {
  json out;
  for (const auto& counter : flow::coverage_counters)
    out[std::string(counter.key)] = c.*counter.count;
  out["share"] = c.share();
  return out;
}

json capture_of(const result& r) {
  json out;
  out["files"] = r.capture.files;
  out["packets"] = r.capture.packets;
  out["bytes"] = r.capture.wire_bytes;
  out["duration_s"] = r.capture.seconds();
  auto types = json::array();
  for (const auto type : r.capture.link_types)
    types.push_back(link_type_name(type));
  out["link_types"] = std::move(types);
  out["coverage"] = coverage_of(r.seen);
  out["cut_packets"] = r.capture.cut_packets;
  out["dropped_by_capture"] = r.capture.dropped;
  out["time_steps_back"] = r.capture.time_steps_back;
  if (r.capture.filtered_out > 0) out["filtered_out"] = r.capture.filtered_out;
  add_capture_details(out, r.capture.details);
  auto rest = json::array();
  for (const auto& n : net::not_analysed(r.network))
    rest.push_back({{"what", n.name}, {"count", n.count}});
  out["not_analysed"] = std::move(rest);
  auto network = json::object();
  for (const auto& n : net::network_counters)
    network[std::string(n.key)] = r.network.*n.count;
  out["network"] = std::move(network);
  auto wrapped = json::array();
  for (const auto& n : net::encapsulations_of(r.network))
    wrapped.push_back({{"name", n.name}, {"frames", n.count}});
  out["encapsulations"] = std::move(wrapped);
  out["warnings"] = r.warnings;
  return out;
}

json connection_row(const flow::connection& c) {
  const auto& tcp = c.tcp();
  json out;
  out["client"] = net::text_of(c.key.client);
  out["server"] = net::text_of(c.key.server);
  out["transport"] = c.key.tcp ? "tcp" : "udp";
  out["protocol"] = protocols_text(c.protocols);
  out["mss"] = mss_of(tcp);
  out["mtu"] = tcp.mtu;
  out["rtt_us"] = {{"min", us(tcp.rtt_min)}, {"p50", us(tcp.rtt_p50)}};
  out["rtt_source"] = rtt_source_text(tcp.rtt_from);
  out["segments"] = tcp.segments;
  out["retransmitted"] = tcp.retransmitted;
  out["out_of_order"] = tcp.out_of_order;
  out["zero_window_s"] = us(tcp.zero_window) / 1e6;
  if (c.dialect != 0) out["dialect"] = to_string(static_cast<smb2::dialect>(c.dialect));
  if (c.max_read != 0) out["max_read"] = c.max_read;
  if (c.max_write != 0) out["max_write"] = c.max_write;
  if (c.session.slots != 0)
    out["session"] = {{"slots", c.session.slots},
                      {"operations_max", c.session.operations_max},
                      {"request_bytes_max", c.session.request_bytes_max},
                      {"reply_bytes_max", c.session.reply_bytes_max}};
  if (has_protocol(c, wire::protocol::smb2)) {
    out["signed"] = c.is_signed;
    out["encrypted"] = c.encrypted;
  }
  if (const auto security = security_text(c); !security.empty()) out["security"] = security;
  if (c.key.tcp) out["capture_point"] = to_string(timing::capture_point_of(tcp));
  out["server_side_rtt_us"] = us(tcp.server_side_rtt);
  out["exchanges"] = c.exchanges;
  out["coverage"] = coverage_of(c.seen);
  out["handshake_seen"] = tcp.handshake_seen;
  out["offload_seen"] = tcp.offload_seen;
  out["duplicated"] = tcp.duplicated;
  out["late_fills"] = tcp.late_fills;
  out["keep_alives"] = tcp.keep_alives;
  out["gap_bytes"] = tcp.gap_bytes;
  out["unseen_side"] = unseen_side_text(tcp.unseen);
  if (!tcp.wrapped.empty() || tcp.wrapped_differently) {
    out["encapsulation"] = tcp.wrapped.text();
    out["encapsulation_varies"] = tcp.wrapped_differently;
  }
  out["first_s"] = static_cast<double>(c.first.count()) / 1e9;
  out["last_s"] = static_cast<double>(c.last.count()) / 1e9;
  return out;
}

} // namespace

json microseconds_of(const wire::histogram& h) {
  return {{"min", us(h.min())},          {"mean", h.mean_ns() / 1e3},
          {"p50", us(h.quantile(0.5))},  {"p90", us(h.quantile(0.9))},
          {"p99", us(h.quantile(0.99))}, {"p999", us(h.quantile(0.999))},
          {"max", us(h.max())}};
}

json operations_of(const analysis::operation_table& operations, const timing::attribution& wall) {
  auto out = json::array();
  for (const auto& row : by_seconds(operations, wall))
    out.push_back(operation_row(row.key, *row.stats, row.seconds));
  return out;
}

json wall_of(const timing::attribution& wall) {
  const double total = wall.wall_seconds();
  auto rows = json::array();
  for (const auto& row : wall.rows())
    rows.push_back({{"to", attribution_name(row)},
                    {"seconds", row.seconds},
                    {"share", total > 0 ? row.seconds / total : 0.0},
                    {"phase", to_string(row.what)}});
  json out;
  out["seconds"] = total;
  out["attribution"] = std::move(rows);
  out["residual_s"] = wall.residual_seconds();
  out["late_s"] = wall.late_seconds();
  out["outstanding_mean"] = wall.mean_outstanding();
  return out;
}

json files_of(const analysis::file_table& files) {
  const auto& trips = files.round_trips();
  auto sequences = json::array();
  for (const auto& s : files.sequences()) {
    if (sequences.size() == sequences_max) break;
    sequences.push_back({{"operations", sequence_names(s.steps)},
                         {"files", s.visits},
                         {"round_trips", s.round_trips},
                         {"seconds", s.seconds}});
  }
  json out;
  out["count"] = files.count();
  out["round_trips_per_file"] = {{"mean", trips.mean_ns()},
                                 {"p50", trips.quantile(0.5).count()},
                                 {"max", trips.max().count()}};
  out["sequences"] = std::move(sequences);
  out["bytes_mean"] = files.bytes_mean();
  out["io_size"] = {{"read", files.reads().mean()},
                    {"write", files.writes().mean()},
                    {"read_max", files.reads().largest},
                    {"write_max", files.writes().largest}};
  if (files.evicted() > 0) out["counted_again"] = files.evicted();
  return out;
}

std::vector<std::string> sequence_names(const std::vector<analysis::sequence_step>& steps) {
  std::vector<std::string> out;
  for (const auto& step : steps) {
    if (step.more) {
      out.push_back("…");
      continue;
    }
    const auto name = flow::operation_name(step.of);
    if (step.joined && !out.empty())
      out.back() += "+" + name;
    else if (step.run >= analysis::sequence_step::many)
      out.push_back(name + "*");
    else
      out.insert(out.end(), step.run, name);
  }
  return out;
}

json slowest_of(const std::vector<slow_file>& files) {
  auto out = json::array();
  for (const auto& f : files)
    out.push_back({{"path", f.path},
                   {"round_trips", f.round_trips},
                   {"bytes", f.bytes},
                   {"seconds", f.seconds}});
  return out;
}

json provenance_json(const result& r) {
  const auto at = captured_at(r);
  auto figures = json::array();
  for (const auto& f : provenance_of(r))
    figures.push_back({{"figure", f.name},
                       {"definition", f.definition},
                       {"n", f.n},
                       {"of", f.of},
                       {"confidence", to_string(f.sure)},
                       {"reasons", f.reasons}});
  return {{"capture_point", to_string(at.where)},
          {"several_capture_points", at.several},
          {"figures", std::move(figures)}};
}

json analysis_document(const result& r) {
  json out;
  out["schema"] = "wiretrip.analysis/1";
  out["capture"] = capture_of(r);
  auto connections = json::array();
  for (const auto& c : r.connections)
    connections.push_back(connection_row(c));
  out["connections"] = std::move(connections);
  if (r.connections_not_listed > 0) out["connections_not_listed"] = r.connections_not_listed;
  if (auto smb = smb_of(r.smb); !smb.empty()) out["smb"] = std::move(smb);
  out["operations"] = operations_of(r.operations, r.wall);
  out["files"] = files_of(r.files);
  out["files"]["slowest"] = slowest_of(r.slowest);
  out["wall"] = wall_of(r.wall);
  out["provenance"] = provenance_json(r);
  out["findings"] = json::array();
  return out;
}

} // namespace profiler::report
