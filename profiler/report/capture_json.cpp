#include "profiler/report/capture_json.hpp"

#include "profiler/report/names.hpp"

namespace profiler::report {

namespace {

using json = nlohmann::ordered_json;

void add_text(json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}

void add_count(json& to, const char* key, std::optional<wire::u64> count) {
  if (count) to[key] = *count;
}

json interface_row(const capture::capture_interface& i) {
  json out;
  out["name"] = i.name;
  out["link_type"] = link_type_name(i.link_type);
  out["snap_length"] = i.snap_length;
  out["resolution_ns"] = i.resolution.count();
  out["packets"] = i.packets;
  out["dropped"] = i.dropped();
  add_count(out, "received", i.received);
  add_count(out, "dropped_by_interface", i.dropped_by_interface);
  add_count(out, "filter_accepted", i.filter_accepted);
  add_count(out, "dropped_by_system", i.dropped_by_system);
  add_count(out, "delivered", i.delivered);
  if (i.lost_between_packets > 0) out["lost_between_packets"] = i.lost_between_packets;
  add_text(out, "description", i.description);
  add_text(out, "filter", i.filter);
  add_text(out, "hardware", i.hardware);
  add_text(out, "system", i.system);
  if (i.speed_bits_s > 0) out["speed_bits_s"] = i.speed_bits_s;
  return out;
}

json counts_of(const std::vector<capture::block_count>& counts) {
  auto out = json::array();
  for (const auto& c : counts)
    out.push_back({{"what", c.name}, {"count", c.count}});
  return out;
}

json comments_of(const analysis::capture_details& d) {
  auto texts = json::array();
  for (const auto& c : d.comment_texts) {
    json row;
    if (c.frame > 0) row["frame"] = c.frame;
    row["text"] = c.text;
    texts.push_back(std::move(row));
  }
  json out;
  out["count"] = d.comments;
  out["texts"] = std::move(texts);
  return out;
}

} // namespace

void add_capture_details(json& capture, const analysis::capture_details& d) {
  auto interfaces = json::array();
  for (const auto& i : d.interfaces)
    interfaces.push_back(interface_row(i));
  capture["interfaces"] = std::move(interfaces);
  if (d.interfaces_not_listed > 0) capture["interfaces_not_listed"] = d.interfaces_not_listed;
  add_text(capture, "hardware", d.hardware);
  add_text(capture, "system", d.system);
  add_text(capture, "application", d.application);
  if (d.comments > 0) capture["comments"] = comments_of(d);
  if (d.names > 0) capture["names"] = d.names;
  if (!d.secrets.empty()) capture["secrets"] = counts_of(d.secrets);
  if (d.secrets_not_kept > 0) capture["secrets_not_kept"] = d.secrets_not_kept;
  if (!d.skipped.empty()) capture["other_blocks"] = counts_of(d.skipped);
  if (d.large_blocks > 0) capture["large_blocks"] = d.large_blocks;
  if (d.sections_not_read > 0) capture["sections_not_read"] = d.sections_not_read;
  if (d.inbound + d.outbound > 0)
    capture["directions"] = {{"inbound", d.inbound}, {"outbound", d.outbound}};
  if (d.link_errors > 0) capture["link_errors"] = d.link_errors;
  if (d.damaged_places > 0)
    capture["damage"] = {{"places", d.damaged_places}, {"bytes", d.damaged_bytes}};
}

} // namespace profiler::report
