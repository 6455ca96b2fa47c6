#include "profiler/capture/format.hpp"

namespace profiler::capture {

namespace {

constexpr std::size_t file_header_bytes = 24;
constexpr std::size_t interfaces_max = 4096; ///< as many files behind each other are read
constexpr u32 magic_us = 0xa1b2c3d4;
constexpr u32 magic_ns = 0xa1b23c4d;
constexpr u32 magic_modified = 0xa1b2cd34; ///< A. Kuznetzov's patched libpcap

/// How this file writes its records.
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
      : format(in, summary, std::move(name)), layout_(layout), link_type_(link_type) {
    big_endian_ = layout.big_endian;
  }

  bool next(packet& out, std::size_t& interface) override {
    if (!begun_) begin();
    while (true) {
      if (!in_.ensure(layout_.header_bytes)) {
        if (in_.available() > 0) return ended_inside("a record header");
        return ended();
      }
      const auto r = record_at(0);
      if (r.captured == 0 && another_file()) continue;
      if (r.captured > frame_bytes_max) {
        begin_damage("the next frame says that it has " + std::to_string(r.captured) +
                     " bytes, and none has more than " + std::to_string(frame_bytes_max));
        if (!go_on_behind_damage()) return ended();
        continue;
      }
      if (!in_.ensure(layout_.header_bytes + r.captured)) {
        // The record is cut, or its length is wrong and others follow it.
        if (!in_.trouble().empty() || in_.stopped() || !another_in_view())
          return ended_inside("a frame");
        begin_damage("the next frame says that it has " + std::to_string(r.captured) +
                     " bytes, and the file has not so many");
        if (!go_on_behind_damage()) return ended();
        continue;
      }
      if (r.captured > r.wire_length && !goes_on_behind(r)) {
        begin_damage("the next frame says that it was captured with " + std::to_string(r.captured) +
                     " bytes, and had " + std::to_string(r.wire_length));
        if (!go_on_behind_damage()) return ended();
        continue;
      }
      give(out, r);
      interface = summary_.interfaces.size() - 1;
      return true;
    }
  }

 private:
  struct record {
    nanos time{0};
    u64 fraction = 0;
    u32 captured = 0;
    u32 wire_length = 0;
  };

  void begin() {
    begun_ = true;
    std::copy_n(in_.data(), start_.size(), start_.begin());
    hand_on(file_piece::kind::header, file_header_bytes);
  }

  /// Captures that were put behind each other (cat a.pcap b.pcap): a file header stands where a
  /// record's should, with the same magic and version and as a record empty.
  bool another_file() {
    if (!std::equal(start_.begin(), start_.end(), in_.data())) return false;
    if (!in_.ensure(file_header_bytes) || summary_.interfaces.size() >= interfaces_max)
      return false;
    auto described = summary_.interfaces.front();
    described.snap_length = load32(in_.data() + 16);
    described.link_type = link_type_ = load32(in_.data() + 20) & 0xffff;
    described.packets = 0;
    if (++files_behind_ == 1)
      summary_.warnings.push_back(name_ + " has another pcap file behind it at " + position() +
                                  "; both were read.");
    summary_.interfaces.push_back(std::move(described));
    hand_on(file_piece::kind::header, file_header_bytes);
    return true;
  }

  /// The record whose header is in view at `at`.
  [[nodiscard]] record record_at(std::size_t at) const noexcept {
    const auto* header = in_.data() + at;
    record r;
    const u64 seconds = load32(header);
    r.fraction = load32(header + 4);
    r.captured = load32(header + 8);
    r.wire_length = load32(header + 12);
    if (layout_.lengths_swapped) std::swap(r.captured, r.wire_length);
    r.time =
        nanos{static_cast<wire::i64>(seconds * 1'000'000'000 + r.fraction * layout_.ns_per_tick)};
    return r;
  }

  void give(packet& out, const record& r) {
    out.data = {in_.data() + layout_.header_bytes, r.captured};
    out.wire_length = std::max(r.wire_length, r.captured);
    out.at.time = r.time;
    out.link_type = link_type_;
    last_ = r.time;
    hand_on(file_piece::kind::record, layout_.header_bytes + r.captured);
  }

  /// Some programs write such lengths; where no record follows, the captured one is wrong.
  [[nodiscard]] bool goes_on_behind(const record& r) {
    const auto behind = layout_.header_bytes + r.captured;
    if (!in_.ensure(behind + layout_.header_bytes)) return in_.available() == behind;
    return record_at(behind).captured <= frame_bytes_max;
  }

  bool go_on_behind_damage() {
    const bool found = search(1, [this](std::size_t at) { return plausible(at); });
    end_damage(found);
    return found;
  }

  [[nodiscard]] bool another_in_view() const {
    for (std::size_t at = 1; at < in_.available(); ++at)
      if (plausible(at)) return true;
    return false;
  }

  /// Records in a row whose lengths can be and whose times are near each other: two where the time
  /// is near the last one, and four where it is not, as the last one may be what was damaged. Fewer
  /// will do where the file ends, or what is in view.
  [[nodiscard]] bool plausible(std::size_t at) const noexcept {
    record r;
    if (!plausible_header(at, r)) return false;
    const bool expected = last_ ? near(r.time, *last_) : r.time.count() != 0;
    const int wanted = expected ? 2 : 4;
    for (int found = 1; found < wanted; ++found) {
      at += layout_.header_bytes + r.captured;
      if (at == in_.available()) return expected || found > 1;
      if (found > 1 && !header_in_view(at)) return true;
      const auto before = r.time;
      if (!plausible_header(at, r) || !near(r.time, before)) return false;
    }
    return true;
  }

  [[nodiscard]] bool header_in_view(std::size_t at) const noexcept {
    return at <= in_.available() && in_.available() - at >= layout_.header_bytes;
  }

  [[nodiscard]] bool plausible_header(std::size_t at, record& out) const noexcept {
    if (!header_in_view(at)) return false;
    out = record_at(at);
    return out.captured > 0 && out.captured <= found_bytes_max - 2 * layout_.header_bytes &&
           out.captured <= out.wire_length && out.wire_length <= frame_bytes_max &&
           out.fraction * layout_.ns_per_tick < 1'000'000'000;
  }

  record_layout layout_;
  u32 link_type_;
  bool begun_ = false;
  std::array<std::byte, 8> start_{}; ///< the file's magic and version
  u64 files_behind_ = 0;
  std::optional<nanos> last_;
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
  summary.interfaces.push_back({.link_type = link_type,
                                .snap_length = load(16),
                                .resolution = nanos{static_cast<wire::i64>(layout.ns_per_tick)},
                                .packets = 0});
  return recognised{std::make_unique<pcap_format>(in, summary, name, layout, link_type), {}};
}

} // namespace profiler::capture
