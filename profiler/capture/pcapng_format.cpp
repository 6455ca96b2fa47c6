#include "profiler/capture/format.hpp"
#include "profiler/capture/pcapng_metadata.hpp"

#include <limits>

namespace profiler::capture {

namespace {

/// A packet with its options, or any block that is looked at as a whole.
constexpr u32 block_bytes_max = 2 * frame_bytes_max;
/// A capture on every interface of a large host has some hundreds of them.
constexpr std::size_t interfaces_max = 4096;

class pcapng_format final : public format {
 public:
  pcapng_format(window& in, capture_summary& summary, std::string name)
      : format(in, summary, std::move(name)), metadata_(summary) {}

  bool next(packet& out, std::size_t& interface) override {
    while (true) {
      switch (step(out)) {
      case outcome::packet:
        interface = interface_;
        return true;
      case outcome::other:
        break;
      case outcome::bad_block:
        begin_damage(std::move(wrong_));
        end_damage(hand_on_large(file_piece::kind::damage, total_));
        break;
      case outcome::lost:
        begin_damage(std::move(wrong_));
        if (!go_on()) return finish();
        break;
      case outcome::end:
        return finish();
      case outcome::cut:
        tell_oddities();
        return ended_inside("a block");
      }
    }
  }

 private:
  enum class outcome {
    packet,
    other,
    bad_block, ///< the block is framed well, and what it says cannot be
    lost,      ///< here is no block
    end,
    cut, ///< the file ends inside a block
  };

  outcome lost(std::string what) {
    wrong_ = std::move(what);
    return outcome::lost;
  }
  outcome bad(std::string what) {
    wrong_ = std::move(what);
    return outcome::bad_block;
  }

  /// Takes one block. Damage leaves the window where the block starts.
  outcome step(packet& out) {
    if (!in_.ensure(block_header_bytes)) return in_.available() > 0 ? outcome::cut : outcome::end;
    type_ = load32(in_.data());
    // The section header's type reads alike both ways; its length is known behind its magic.
    if (type_ == block_type::section) {
      if (!in_.ensure(block_bytes_min)) return outcome::cut;
      const auto order = order_at(0);
      if (!order) return lost("a section header without the byte-order magic 1a2b3c4d");
      big_endian_ = *order;
    }
    total_ = load32(in_.data() + 4);
    if (total_ < block_bytes_min || total_ % 4 != 0)
      return lost("a block says that it is " + std::to_string(total_) + " bytes long");
    if (total_ > block_bytes_max) return large_block();
    if (!in_.ensure(total_)) return short_of_bytes();
    if (const auto again = load32(in_.data() + total_ - 4); again != total_)
      return lost("a block says that it is " + std::to_string(total_) + " bytes long, and " +
                  std::to_string(again) + " at its end");
    body_ = {{in_.data() + block_header_bytes, total_ - block_bytes_min}, big_endian_};
    const auto what = take(out);
    if (what == outcome::packet || what == outcome::other)
      hand_on(file_piece::kind::block, total_, type_);
    return what;
  }

  outcome take(packet& out) {
    switch (type_) {
    case block_type::enhanced_packet:
      if (in_unread_section_) break;
      return take_packet(out, [](const block_body& b) { return b.word(0); });
    case block_type::old_packet:
      if (in_unread_section_) break;
      return take_packet(out, [](const block_body& b) { return u32{b.half(0)}; });
    case block_type::simple_packet:
      if (in_unread_section_) break;
      return take_simple(out);
    case block_type::section:
      return take_section();
    default:
      if (!in_unread_section_) return take_other();
    }
    return outcome::other;
  }

  outcome take_other() {
    switch (type_) {
    case block_type::interface:
      return take_interface();
    case block_type::statistics:
      metadata_.statistics(body_, first_);
      break;
    case block_type::names:
      metadata_.names(body_);
      break;
    case block_type::secrets:
      metadata_.secrets(body_);
      break;
    default:
      metadata_.skipped(type_);
    }
    return outcome::other;
  }

  /// Passed over, as far as the file goes; what has to be understood cannot be so long.
  outcome large_block() {
    const bool essential = type_ == block_type::section || type_ == block_type::interface ||
                           type_ == block_type::enhanced_packet ||
                           type_ == block_type::old_packet || type_ == block_type::simple_packet;
    if (essential || total_ > search_bytes_max || block_name(type_).empty())
      return lost("a block says that it is " + std::to_string(total_) + " bytes long");
    const auto start = in_.offset();
    if (!hand_on_large(file_piece::kind::block, total_ - 4, type_) || !in_.ensure(4))
      return outcome::cut;
    if (const auto again = load32(in_.data()); again != total_)
      return lost("the block at byte " + std::to_string(start) + " says that it is " +
                  std::to_string(total_) + " bytes long, and " + std::to_string(again) +
                  " at its end");
    hand_on(file_piece::kind::block, 4, type_);
    if (!in_unread_section_) metadata_.large(type_);
    return outcome::other;
  }

  /// The file ends inside the block, or the block's length is wrong and others follow it.
  outcome short_of_bytes() {
    if (!in_.trouble().empty() || in_.stopped()) return outcome::cut;
    for (std::size_t at = 4; at < in_.available(); ++at)
      if (plausible(at))
        return lost("a block says that it is " + std::to_string(total_) +
                    " bytes long, and the file has not so many");
    return outcome::cut;
  }

  outcome no_frame(u64 captured) {
    return bad("a packet block of " + std::to_string(total_) + " bytes says that it has " +
               std::to_string(captured) + " bytes of a frame");
  }

  /// Enhanced and old packet blocks differ in where the interface stands.
  template <class InterfaceOf>
  outcome take_packet(packet& out, InterfaceOf interface_of) {
    constexpr std::size_t fields = 20;
    const auto size = body_.data.size();
    if (size < fields) return bad(too_short("a packet block"));
    const auto captured = body_.word(12);
    if (captured > frame_bytes_max || captured > size - fields) return no_frame(captured);
    if (!choose_interface(interface_of(body_))) return outcome::other;
    fill(out, fields, captured, body_.word(16));
    out.at.time = scales_[interface_ - first_].at(u64{body_.word(4)} << 32 | body_.word(8));
    last_time_ = out.at.time;
    const auto options = fields + wire::align_up(captured, 4);
    auto& of = summary_.interfaces[interface_];
    if (size > options) metadata_.packet_options(body_, options, of);
    if (type_ == block_type::old_packet && body_.half(2) != 0xffff)
      of.lost_between_packets += body_.half(2);
    return outcome::packet;
  }

  outcome take_simple(packet& out) {
    constexpr std::size_t fields = 4;
    if (body_.data.size() < fields) return bad(too_short("a simple packet block"));
    const auto wire_length = body_.word(0);
    if (!choose_interface(0)) return outcome::other;
    const auto snap = summary_.interfaces[interface_].snap_length;
    auto captured = std::min(wire_length, static_cast<u32>(body_.data.size() - fields));
    if (snap != 0) captured = std::min(captured, snap);
    if (captured > frame_bytes_max) return no_frame(captured);
    fill(out, fields, captured, wire_length);
    out.at.time = last_time_.value_or(nanos{0});
    ++without_time_;
    return outcome::packet;
  }

  void fill(packet& out, std::size_t fields, u32 captured, u32 wire_length) {
    out.data = body_.data.subspan(fields, captured);
    out.wire_length = std::max(wire_length, captured);
    out.link_type = summary_.interfaces[interface_].link_type;
  }

  bool choose_interface(u32 number) {
    const bool described = number < scales_.size();
    interface_ = first_ + number;
    if (!described) ++without_interface_;
    return described;
  }

  outcome take_section() {
    if (body_.data.size() < 16) return bad(too_short("a section header"));
    forget_interfaces();
    const auto major = body_.half(4);
    in_unread_section_ = major != 1;
    if (!in_unread_section_) {
      metadata_.section(body_);
      return outcome::other;
    }
    if (++summary_.sections_not_read == 1)
      summary_.warnings.push_back(name_ + " has a section of pcapng version " +
                                  std::to_string(major) + " at " + position() +
                                  ", and only version 1 can be read; it was passed over.");
    return pass_section(body_.quad(8));
  }

  void forget_interfaces() {
    first_ = summary_.interfaces.size();
    scales_.clear();
  }

  /// By its length where that is told, else block by block up to the next section.
  outcome pass_section(u64 length) {
    constexpr u64 not_told = ~u64{0};
    if (length == not_told || length % 4 != 0 ||
        length > static_cast<u64>(std::numeric_limits<wire::i64>::max()))
      return outcome::other;
    const u64 all = total_ + length;
    total_ = 0; // nothing is left for step() to hand on
    return hand_on_large(file_piece::kind::block, all, type_) ? outcome::other : outcome::cut;
  }

  outcome take_interface() {
    if (body_.data.size() < 8) return bad(too_short("an interface description"));
    if (summary_.interfaces.size() >= interfaces_max)
      return bad("it describes more than " + std::to_string(interfaces_max) + " interfaces");
    scales_.push_back(metadata_.interface(body_));
    return outcome::other;
  }

  [[nodiscard]] std::string too_short(const char* what) const {
    return std::string(what) + " of " + std::to_string(total_) + " bytes is too short";
  }

  /// Searches the next block. A section header has its own byte order, which holds from there on.
  bool go_on() {
    if (type_ == block_type::section) forget_interfaces(); // those that follow are of a new one
    const auto start = in_.offset();
    const bool found = search(1, [this](std::size_t at) { return plausible(at); });
    // A length that is right after all: the block was only large, and nobody knows its type.
    const bool unknown = block_name(type_).empty() && total_ > block_bytes_max;
    if (found && unknown && in_.offset() - start == total_)
      metadata_.large(type_);
    else
      end_damage(found);
    return found;
  }

  /// Whether the section header at `at` is big-endian; nothing if there is no magic.
  [[nodiscard]] std::optional<bool> order_at(std::size_t at) const noexcept {
    const auto magic = wire::load_le<u32>(in_.data() + at + 8);
    if (magic == byte_order_magic) return false;
    if (std::byteswap(magic) == byte_order_magic) return true;
    return std::nullopt;
  }

  /// A block of a known type that repeats its length, and another one or the file's end behind it.
  [[nodiscard]] bool plausible(std::size_t at) const noexcept {
    auto order = big_endian_;
    const auto total = plausible_length(at, order);
    if (total == 0) return false;
    const auto behind = at + total;
    return behind == in_.available() || plausible_length(behind, order) != 0;
  }

  /// 0: there is no block; `order` becomes a section header's.
  [[nodiscard]] std::size_t plausible_length(std::size_t at, bool& order) const noexcept {
    const auto have = in_.available() - at;
    if (have < block_bytes_min) return 0;
    const auto read = [&](std::size_t from) {
      const auto* p = in_.data() + at + from;
      return order ? wire::load_be<u32>(p) : wire::load_le<u32>(p);
    };
    const auto type = read(0);
    if (block_name(type).empty()) return 0;
    if (type == block_type::section) {
      const auto found = order_at(at);
      if (!found) return 0;
      order = *found;
    }
    const std::size_t total = read(4);
    if (total < block_bytes_min || total % 4 != 0 || total > found_bytes_max - block_bytes_min)
      return 0;
    return total <= have && read(total - 4) == total ? total : 0;
  }

  bool finish() {
    tell_oddities();
    return ended();
  }

  void tell_oddities() {
    if (without_interface_ > 0)
      summary_.warnings.push_back(name_ + " has " + std::to_string(without_interface_) +
                                  " packets of interfaces that it does not describe; they were "
                                  "passed over.");
    if (without_time_ > 0)
      summary_.warnings.push_back(name_ + " has " + std::to_string(without_time_) +
                                  " simple packet blocks, which have no time; each was given the "
                                  "time of the packet before it.");
  }

  pcapng_metadata metadata_;
  u32 type_ = 0;
  u32 total_ = 0;
  block_body body_;
  std::string wrong_; ///< what is damaged, for the sentence
  bool in_unread_section_ = false;
  std::size_t first_ = 0; ///< index in the summary of the section's first interface
  std::size_t interface_ = 0;
  std::vector<time_scale> scales_; ///< of the section's interfaces
  std::optional<nanos> last_time_;
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
