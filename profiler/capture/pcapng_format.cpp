#include "profiler/capture/format.hpp"

#include <algorithm>

namespace profiler::capture {

namespace {

namespace block_type {
constexpr u32 section = 0x0a0d0d0a;
constexpr u32 interface = 1;
constexpr u32 old_packet = 2;
constexpr u32 simple_packet = 3;
constexpr u32 statistics = 5;
constexpr u32 enhanced_packet = 6;
} // namespace block_type

constexpr u32 byte_order_magic = 0x1a2b3c4d;
constexpr std::size_t block_header_bytes =
    8; ///< type and total length; the length again at the end
constexpr u32 block_bytes_min = 12;
/// A packet with its options, or any block that is looked at as a whole.
constexpr u32 block_bytes_max = 2 * frame_bytes_max;
/// A capture on every interface of a large host has some hundreds of them.
constexpr std::size_t interfaces_max = 4096;

/// How an interface counts time: ticks since 1970 plus an offset.
struct time_scale {
  u8 resolution = 6; ///< if_tsresol: a power of 10, with the top bit set a power of 2
  u64 offset_s = 0;  ///< two's complement; wraps instead of overflowing on absurd values

  /// Absurd times are brought to the ends of [1970, 2116], so that differences of any two are
  /// sound.
  [[nodiscard]] nanos at(u64 ticks) const noexcept {
    constexpr wire::i64 latest = wire::i64{1} << 62;
    const auto time = static_cast<wire::i64>(ns(ticks) + offset_s * 1'000'000'000);
    return nanos{std::clamp<wire::i64>(time, 0, latest)};
  }

  [[nodiscard]] u64 ns(u64 ticks) const noexcept {
    const unsigned power = resolution & 0x7f;
    if ((resolution & 0x80) == 0) {
      if (power <= 9) return ticks * ten_to(9 - power);
      return power > 28 ? 0 : ticks / ten_to(power - 9);
    }
    if (power > 63) return 0;
    const auto seconds = ticks >> power;
    auto fraction = ticks & ((u64{1} << power) - 1);
    auto bits = power;
    // 34 bits are 58 ps, and the product below still fits.
    if (bits > 34) fraction >>= bits - 34, bits = 34;
    return seconds * 1'000'000'000 + ((fraction * 1'000'000'000) >> bits);
  }

  [[nodiscard]] nanos tick() const noexcept {
    const auto power = std::min<unsigned>(resolution & 0x7f, 30);
    const u64 per_second = (resolution & 0x80) != 0 ? u64{1} << power
                           : power <= 9             ? ten_to(power)
                                                    : 1'000'000'000;
    return nanos{static_cast<wire::i64>(std::max<u64>(1, 1'000'000'000 / per_second))};
  }

 private:
  [[nodiscard]] static constexpr u64 ten_to(unsigned n) noexcept {
    u64 value = 1;
    while (n-- > 0)
      value *= 10;
    return value;
  }
};

class pcapng_format final : public format {
 public:
  pcapng_format(window& in, capture_summary& summary, std::string name)
      : format(in, summary, std::move(name)) {}

  bool next(packet& out, std::size_t& interface) override {
    while (begin_block()) {
      bool is_packet = false;
      switch (type_) {
      case block_type::enhanced_packet:
        if (!take_packet(out, 20, [](const auto& f) { return f.load(0); })) return false;
        is_packet = true;
        break;
      case block_type::old_packet:
        if (!take_packet(out, 20, [](const auto& f) { return u32{f.half(0)}; })) return false;
        is_packet = true;
        break;
      case block_type::simple_packet:
        if (!take_simple(out)) return false;
        is_packet = true;
        break;
      case block_type::section:
        if (!take_section()) return false;
        break;
      case block_type::interface:
        if (!take_interface()) return false;
        break;
      case block_type::statistics:
        if (!take_statistics()) return false;
        break;
      default:
        ++summary_.skipped_blocks;
      }
      if (!end_block()) return false;
      if (is_packet && interface_ != no_interface) {
        interface = interface_;
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t no_interface = static_cast<std::size_t>(-1);

  /// The fields of the block's body, which is in view as far as they go.
  [[nodiscard]] const std::byte* body() const noexcept { return in_.data() + block_header_bytes; }
  [[nodiscard]] u32 load(std::size_t at) const noexcept { return load32(body() + at, big_endian_); }
  [[nodiscard]] u16 half(std::size_t at) const noexcept { return load16(body() + at, big_endian_); }
  [[nodiscard]] u32 body_bytes() const noexcept { return total_ - block_bytes_min; }

  bool begin_block() {
    if (!in_.ensure(block_header_bytes)) {
      if (in_.available() > 0 || !in_.trouble().empty()) return stop_cut("a block header");
      report_oddities();
      return false;
    }
    type_ = load32(in_.data(), big_endian_);
    // The section header's type reads alike both ways; its length is known behind its magic.
    if (type_ == block_type::section) {
      if (!in_.ensure(12)) return stop_cut("a section header");
      const auto magic = wire::load_le<u32>(in_.data() + 8);
      if (magic != byte_order_magic && std::byteswap(magic) != byte_order_magic)
        return stop("a section header without the byte-order magic 1a2b3c4d");
      big_endian_ = magic != byte_order_magic;
    }
    total_ = load32(in_.data() + 4, big_endian_);
    if (total_ < block_bytes_min || total_ % 4 != 0)
      return stop("a block says that it is " + std::to_string(total_) + " bytes long");
    return true;
  }

  /// Brings n bytes of the body into view, which the block must have.
  bool need(std::size_t n, const char* what) {
    if (n > body_bytes())
      return stop(std::string(what) + " of " + std::to_string(total_) + " bytes is too short");
    return in_.ensure(block_header_bytes + n) || stop_cut(what);
  }

  bool end_block() {
    if (total_ <= block_bytes_max) {
      if (!in_.ensure(total_)) return stop_cut("a block");
      const auto again = load32(in_.data() + total_ - 4, big_endian_);
      if (again != total_)
        return stop("a block says that it is " + std::to_string(total_) + " bytes long, and " +
                    std::to_string(again) + " at its end");
      in_.consume(total_);
      return true;
    }
    if (type_ == block_type::enhanced_packet || type_ == block_type::old_packet ||
        type_ == block_type::simple_packet)
      return stop("a packet block says that it is " + std::to_string(total_) + " bytes long");
    return in_.skip(total_) || stop_cut("a block");
  }

  /// Enhanced and old packet blocks differ in where the interface stands.
  template <class InterfaceOf>
  bool take_packet(packet& out, std::size_t fields, InterfaceOf interface_of) {
    if (!need(fields, "a packet block")) return false;
    const auto captured = load(12);
    if (captured > frame_bytes_max || captured > body_bytes() - fields)
      return stop("a packet block of " + std::to_string(total_) + " bytes says that it has " +
                  std::to_string(captured) + " bytes of a frame");
    if (total_ <= block_bytes_max && !in_.ensure(total_)) return stop_cut("a packet block");
    const auto ticks = u64{load(4)} << 32 | load(8);
    if (!choose_interface(interface_of(*this))) return true;
    fill(out, fields, captured, load(16));
    out.at.time = scales_[interface_ - first_].at(ticks);
    last_time_ = out.at.time;
    const auto padded = wire::align_up(captured, 4);
    if (body_bytes() > fields + padded && total_ <= block_bytes_max)
      each_option(fields + padded, [&](u16 code, bytes) { summary_.comments += code == 1; });
    return true;
  }

  bool take_simple(packet& out) {
    if (!need(4, "a simple packet block")) return false;
    if (total_ <= block_bytes_max && !in_.ensure(total_)) return stop_cut("a packet block");
    const auto wire_length = load(0);
    if (!choose_interface(0)) return true;
    const auto snap = summary_.interfaces[interface_].snap_length;
    auto captured = std::min(wire_length, body_bytes() - 4);
    if (snap != 0) captured = std::min(captured, snap);
    if (captured > frame_bytes_max)
      return stop("a simple packet block of " + std::to_string(total_) + " bytes");
    fill(out, 4, captured, wire_length);
    out.at.time = last_time_;
    ++without_time_;
    return true;
  }

  void fill(packet& out, std::size_t fields, u32 captured, u32 wire_length) {
    out.data = {body() + fields, captured};
    out.wire_length = std::max(wire_length, captured);
    out.link_type = summary_.interfaces[interface_].link_type;
  }

  bool choose_interface(u32 number) {
    const bool described = number < scales_.size();
    interface_ = described ? first_ + number : no_interface;
    if (!described) ++without_interface_;
    return described;
  }

  bool take_section() {
    if (!need(16, "a section header")) return false;
    const auto major = half(4);
    if (major != 1)
      return stop("a section of pcapng version " + std::to_string(major) +
                  ", and only version 1 can be read");
    first_ = summary_.interfaces.size();
    scales_.clear();
    return take_options(16, [&](u16 code, bytes) { summary_.comments += code == 1; });
  }

  bool take_interface() {
    if (!need(8, "an interface description")) return false;
    if (summary_.interfaces.size() >= interfaces_max)
      return stop("it describes more than " + std::to_string(interfaces_max) + " interfaces");
    capture_interface described;
    described.link_type = half(0);
    described.snap_length = load(4);
    time_scale scale;
    const bool ok = take_options(8, [&](u16 code, bytes value) {
      if (code == 1) ++summary_.comments;
      if (code == 2)
        described.name = wire::as_text(value.first(std::min<std::size_t>(value.size(), 64)));
      if (code == 9 && value.size() == 1) scale.resolution = std::to_integer<u8>(value[0]);
      if (code == 14 && value.size() == 8) scale.offset_s = load64(value.data(), big_endian_);
    });
    described.resolution = scale.tick();
    summary_.interfaces.push_back(std::move(described));
    scales_.push_back(scale);
    return ok;
  }

  bool take_statistics() {
    if (!need(12, "an interface statistics block")) return false;
    const auto number = load(0);
    u64 dropped = 0;
    bool any = false;
    const bool ok = take_options(12, [&](u16 code, bytes value) {
      if (code == 1) ++summary_.comments;
      if ((code != 5 && code != 7) || value.size() != 8) return;
      dropped += load64(value.data(), big_endian_);
      any = true;
    });
    // Later blocks of an interface repeat the count and raise it.
    if (any && number < scales_.size()) {
      auto& known = summary_.interfaces[first_ + number].dropped;
      summary_.dropped += dropped - known.value_or(0);
      known = dropped;
    }
    return ok;
  }

  /// Calls f(code, value) for the options behind `from` bytes of the body.
  template <class F>
  bool take_options(std::size_t from, F&& f) {
    if (total_ > block_bytes_max) return true; // too long to look at, but it can be passed over
    if (!in_.ensure(total_)) return stop_cut("a block");
    each_option(from, f);
    return true;
  }

  template <class F>
  void each_option(std::size_t from, F&& f) const {
    const std::size_t size = body_bytes();
    while (size - from >= 4) {
      const auto code = half(from);
      const std::size_t length = half(from + 2);
      from += 4;
      if (code == 0 || length > size - from) return;
      f(code, bytes{body() + from, length});
      from += std::min(wire::align_up(length, 4), size - from);
    }
  }

  void report_oddities() {
    if (without_interface_ > 0)
      summary_.warnings.push_back(name_ + " has " + std::to_string(without_interface_) +
                                  " packets of interfaces that it does not describe; they were "
                                  "passed over.");
    if (without_time_ > 0)
      summary_.warnings.push_back(name_ + " has " + std::to_string(without_time_) +
                                  " simple packet blocks, which have no time; each was given the "
                                  "time of the packet before it.");
  }

  bool big_endian_ = false;
  u32 type_ = 0;
  u32 total_ = 0;
  std::size_t first_ = 0; ///< index in the summary of the section's first interface
  std::size_t interface_ = no_interface;
  std::vector<time_scale> scales_; ///< of the section's interfaces
  nanos last_time_{0};
  u64 without_interface_ = 0;
  u64 without_time_ = 0;
};

} // namespace

std::optional<recognised> recognise_pcapng(window& in, capture_summary& summary,
                                           const std::string& name) {
  if (!in.ensure(4) || wire::load_le<u32>(in.data()) != block_type::section) return std::nullopt;
  if (!in.ensure(12))
    return recognised{nullptr, name +
                                   " is cut in the middle of the first pcapng section header: "
                                   "it has " +
                                   std::to_string(in.available()) + " bytes."};
  const auto magic = wire::load_le<u32>(in.data() + 8);
  if (magic != byte_order_magic && std::byteswap(magic) != byte_order_magic) return std::nullopt;
  summary.format = "pcapng";
  return recognised{std::make_unique<pcapng_format>(in, summary, name), {}};
}

} // namespace profiler::capture
