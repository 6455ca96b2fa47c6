#include "profiler/capture/pcapng_metadata.hpp"

namespace profiler::capture {

namespace {

constexpr std::size_t text_bytes_max = 256;
constexpr u16 comment_code = 1;

void keep_first(std::string& to, const block_body& value) {
  if (to.empty()) to = clean_text(value.data, text_bytes_max);
}

/// if_filter: the kind of filter, of which 0 is libpcap's text.
std::string filter_text(const block_body& value) {
  if (value.data.empty()) return {};
  if (value.data[0] != std::byte{0}) return "(a compiled one)";
  return clean_text(value.data.subspan(1), text_bytes_max);
}

} // namespace

void pcapng_metadata::comment(bytes text, u64 frame) {
  ++summary_.comments;
  if (summary_.comment_texts.size() < capture_summary::comments_max)
    summary_.comment_texts.push_back({frame, clean_text(text, capture_summary::comment_bytes_max)});
}

void pcapng_metadata::section(const block_body& b) {
  ++summary_.sections;
  b.each_option(16, [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, 0);
    if (code == 2) keep_first(summary_.hardware, value);
    if (code == 3) keep_first(summary_.system, value);
    if (code == 4) keep_first(summary_.application, value);
  });
}

time_scale pcapng_metadata::interface(const block_body& b) {
  capture_interface described;
  described.link_type = b.half(0);
  described.snap_length = b.word(4);
  time_scale scale;
  b.each_option(8, [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, 0);
    if (code == 2) keep_first(described.name, value);
    if (code == 3) keep_first(described.description, value);
    if (code == 8 && value.data.size() == 8) described.speed_bits_s = value.quad(0);
    if (code == 9 && value.data.size() == 1) scale.resolution = std::to_integer<u8>(value.data[0]);
    if (code == 11) described.filter = filter_text(value);
    if (code == 12) keep_first(described.system, value);
    if (code == 14 && value.data.size() == 8) scale.offset_s = value.quad(0);
    if (code == 15) keep_first(described.hardware, value);
  });
  described.resolution = scale.tick();
  summary_.interfaces.push_back(std::move(described));
  return scale;
}

void pcapng_metadata::statistics(const block_body& b, std::size_t first) {
  if (b.data.size() < 12) return;
  const auto number = b.word(0);
  const bool known = number < summary_.interfaces.size() - first;
  b.each_option(12, [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, 0);
    if (!known || value.data.size() != 8) return;
    auto& of = summary_.interfaces[first + number];
    if (code == 4) of.received = value.quad(0);
    if (code == 5) of.dropped_by_interface = value.quad(0);
    if (code == 6) of.filter_accepted = value.quad(0);
    if (code == 7) of.dropped_by_system = value.quad(0);
    if (code == 8) of.delivered = value.quad(0);
  });
}

/// · source: draft-ietf-opsawg-pcapng, Name Resolution Block
void pcapng_metadata::names(const block_body& b) {
  const auto options = b.each_option(0, [&](u16 code, const block_body& record) {
    if (code == 1) add_names(false, record);
    if (code == 2) add_names(true, record);
  });
  b.each_option(options, [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, 0);
  });
}

/// A record is an address and one or more names, each with a zero behind it.
void pcapng_metadata::add_names(bool v6, const block_body& record) {
  const std::size_t address_bytes = v6 ? 16 : 4;
  if (record.data.size() < address_bytes) return;
  auto rest = wire::as_text(record.data.subspan(address_bytes));
  while (!rest.empty()) {
    const auto name = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name.empty()) continue;
    ++summary_.names;
    if (summary_.name_records.size() >= capture_summary::names_max) continue;
    auto& kept = summary_.name_records.emplace_back();
    kept.v6 = v6;
    std::copy_n(record.data.begin(), address_bytes, kept.address.begin());
    kept.name = clean_text(wire::as_bytes(name), text_bytes_max);
  }
}

void pcapng_metadata::secrets(const block_body& b) {
  if (b.data.size() < 8) return;
  ++summary_.secrets;
  const std::size_t length = b.word(4);
  if (length > b.data.size() - 8) return;
  // A block costs something too, however little it holds.
  const auto cost = length + sizeof(capture_secrets);
  if (cost > capture_summary::secrets_bytes_max - secrets_bytes_) return;
  secrets_bytes_ += cost;
  const auto data = b.data.subspan(8, length);
  summary_.keys.push_back({b.word(0), {data.begin(), data.end()}});
  b.each_option(8 + wire::align_up(length, 4), [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, 0);
  });
}

void pcapng_metadata::skipped(u32 type) {
  ++summary_.skipped_blocks;
  auto& kinds = summary_.skipped_kinds;
  const auto name = block_name(type);
  const auto told = name.empty() ? "block type " + hex_of(type) : std::string(name);
  for (auto& kind : kinds)
    if (kind.name == told) {
      ++kind.count;
      return;
    }
  if (kinds.size() < capture_summary::block_kinds_max) kinds.push_back({told, 1});
}

void pcapng_metadata::large(u32 type) {
  ++summary_.large_blocks;
  if (type == block_type::secrets)
    ++summary_.secrets;
  else
    skipped(type);
}

/// · source: draft-ietf-opsawg-pcapng, Enhanced Packet Block: epb_flags, epb_dropcount
void pcapng_metadata::packet_options(const block_body& b, std::size_t at, capture_interface& of) {
  b.each_option(at, [&](u16 code, const block_body& value) {
    if (code == comment_code) comment(value.data, summary_.packets + 1);
    if (code == 2 && value.data.size() == 4) {
      const auto flags = value.word(0);
      summary_.inbound += (flags & 3) == 1;
      summary_.outbound += (flags & 3) == 2;
      summary_.link_errors += flags >> 16 != 0;
    }
    if (code == 4 && value.data.size() == 8) of.lost_between_packets += value.quad(0);
  });
}

} // namespace profiler::capture
