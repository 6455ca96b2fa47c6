#include "profiler/analysis/capture_details.hpp"

namespace profiler::analysis {

namespace {

template <class T>
wire::u64 append(std::vector<T>& to, const std::vector<T>& from, std::size_t most) {
  const auto n = std::min(from.size(), most - to.size());
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
  return from.size() - n;
}

void add(std::vector<capture::block_count>& to, const std::string& name, wire::u64 count) {
  for (auto& known : to)
    if (known.name == name) {
      known.count += count;
      return;
    }
  if (to.size() < capture_details::kinds_max) to.push_back({name, count});
}

} // namespace

capture_details capture_details::of(const capture::capture_summary& s) {
  capture_details out;
  out.interfaces_not_listed = append(out.interfaces, s.interfaces, interfaces_max);
  out.hardware = s.hardware;
  out.system = s.system;
  out.application = s.application;
  out.comments = s.comments;
  out.comment_texts = s.comment_texts;
  out.names = s.names;
  for (const auto& k : s.keys)
    add(out.secrets, capture::secrets_name(k.type), 1);
  out.secrets_not_kept = s.secrets - s.keys.size();
  out.skipped = s.skipped_kinds;
  out.large_blocks = s.large_blocks;
  out.sections_not_read = s.sections_not_read;
  out.inbound = s.inbound;
  out.outbound = s.outbound;
  out.link_errors = s.link_errors;
  out.damaged_places = s.damaged_places;
  out.damaged_bytes = s.damaged_bytes;
  return out;
}

void capture_details::merge(const capture_details& other) {
  interfaces_not_listed += other.interfaces_not_listed;
  interfaces_not_listed += append(interfaces, other.interfaces, interfaces_max);
  if (hardware.empty()) hardware = other.hardware;
  if (system.empty()) system = other.system;
  if (application.empty()) application = other.application;
  comments += other.comments;
  append(comment_texts, other.comment_texts, capture::capture_summary::comments_max);
  names += other.names;
  for (const auto& s : other.secrets)
    add(secrets, s.name, s.count);
  secrets_not_kept += other.secrets_not_kept;
  for (const auto& s : other.skipped)
    add(skipped, s.name, s.count);
  large_blocks += other.large_blocks;
  sections_not_read += other.sections_not_read;
  inbound += other.inbound;
  outbound += other.outbound;
  link_errors += other.link_errors;
  damaged_places += other.damaged_places;
  damaged_bytes += other.damaged_bytes;
}

} // namespace profiler::analysis
