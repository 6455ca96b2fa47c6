#include "profiler/capture/format.hpp"

namespace profiler::capture {

namespace {

constexpr std::size_t file_header_bytes = 24;
constexpr u32 magic_us = 0xa1b2c3d4;
constexpr u32 magic_ns = 0xa1b23c4d;
constexpr u32 magic_modified = 0xa1b2cd34; ///< A. Kuznetzov's patched libpcap

struct record_layout {
  bool big_endian = false;
  u64 ns_per_tick = 1000;
  std::size_t header_bytes = 16;
  bool lengths_swapped = false; ///< files of version 2.2 and before
};

class pcap_format final : public format {
 public:
  pcap_format(window& in, capture_summary& summary, std::string name, const record_layout& layout,
              u32 link_type)
      : format(in, summary, std::move(name)), layout_(layout), link_type_(link_type) {}

  bool next(packet& out, std::size_t& interface) override {
    if (!in_.ensure(layout_.header_bytes)) {
      if (in_.available() > 0 || !in_.trouble().empty()) return stop_cut("a record header");
      return false;
    }
    const auto* header = in_.data();
    const auto big = layout_.big_endian;
    const u64 seconds = load32(header, big);
    const u64 fraction = load32(header + 4, big);
    auto captured = load32(header + 8, big);
    auto wire_length = load32(header + 12, big);
    if (layout_.lengths_swapped) std::swap(captured, wire_length);
    if (captured > frame_bytes_max)
      return stop("the next frame says that it has " + std::to_string(captured) +
                  " bytes, and none has more than " + std::to_string(frame_bytes_max));
    if (!in_.ensure(layout_.header_bytes + captured)) return stop_cut("a frame");

    out.data = {in_.data() + layout_.header_bytes, captured};
    out.wire_length = std::max(wire_length, captured);
    out.at.time =
        nanos{static_cast<wire::i64>(seconds * 1'000'000'000 + fraction * layout_.ns_per_tick)};
    out.link_type = link_type_;
    interface = 0;
    in_.consume(layout_.header_bytes + captured);
    return true;
  }

 private:
  record_layout layout_;
  u32 link_type_;
};

std::string title(u32 magic) {
  if (magic == magic_ns) return "pcap, ns";
  if (magic == magic_modified) return "pcap, µs, patched record headers";
  return "pcap, µs";
}

} // namespace

std::optional<recognised> recognise_pcap(window& in, capture_summary& summary,
                                         const std::string& name) {
  if (!in.ensure(4)) return std::nullopt;
  record_layout layout;
  const auto is_magic = [](u32 m) { return m == magic_us || m == magic_ns || m == magic_modified; };
  auto magic = wire::load_le<u32>(in.data());
  if (!is_magic(magic)) {
    magic = wire::load_be<u32>(in.data());
    layout.big_endian = true;
    if (!is_magic(magic)) return std::nullopt;
  }
  if (!in.ensure(file_header_bytes))
    return recognised{nullptr, name + " is cut in the middle of the pcap file header: it has " +
                                   std::to_string(in.available()) + " of 24 bytes."};

  const auto load = [&](std::size_t at) {
    return layout.big_endian ? wire::load_be<u32>(in.data() + at)
                             : wire::load_le<u32>(in.data() + at);
  };
  const auto version = load(4);
  const auto major = layout.big_endian ? version >> 16 : version & 0xffff;
  const auto minor = layout.big_endian ? version & 0xffff : version >> 16;
  if (major != 2)
    return recognised{nullptr, name + " is a pcap file of version " + std::to_string(major) + "." +
                                   std::to_string(minor) + "; only 2.x can be read."};
  layout.lengths_swapped = minor < 3;
  if (magic == magic_ns) layout.ns_per_tick = 1;
  if (magic == magic_modified) layout.header_bytes = 24;

  summary.format = title(magic);
  if (magic == magic_modified)
    summary.warnings.push_back(
        name + " has the patched record headers of an old Linux libpcap (magic a1b2cd34); their "
               "extra fields were passed over.");
  // The upper half of the link type tells about frame check sequences, which IP lengths exclude.
  const auto link_type = load(20) & 0xffff;
  summary.interfaces.push_back({.name = {},
                                .link_type = link_type,
                                .snap_length = load(16),
                                .resolution = nanos{static_cast<wire::i64>(layout.ns_per_tick)},
                                .packets = 0,
                                .dropped = std::nullopt});
  in.consume(file_header_bytes);
  return recognised{std::make_unique<pcap_format>(in, summary, name, layout, link_type), {}};
}

} // namespace profiler::capture
