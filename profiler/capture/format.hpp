#pragma once

#include "profiler/capture/capture_reader.hpp"
#include "profiler/capture/window.hpp"

#include <algorithm>

namespace profiler::capture {

/// One way to write a capture file. It takes packets from the window and keeps the summary; what
/// all formats have in common (counts, times) is done by the reader.
class format {
 public:
  virtual ~format() = default;
  format(const format&) = delete;
  format& operator=(const format&) = delete;

  /// The next packet, without its frame number; sets `interface` to its index in the summary.
  [[nodiscard]] virtual bool next(packet& out, std::size_t& interface) = 0;

  void observe(file_observer& observer) noexcept { observer_ = &observer; }

 protected:
  format(window& in, capture_summary& summary, std::string name)
      : in_(in), summary_(summary), name_(std::move(name)) {}

  /// What a search looks for is at most this long, so that it need not hold more than twice that.
  static constexpr std::size_t found_bytes_max = window::window_bytes;
  /// A hole that is larger ends the file.
  static constexpr u64 search_bytes_max = 256 * 1024 * 1024;
  /// Places of damage that get a sentence of their own.
  static constexpr u64 places_told_max = 8;

  /// The file ends; false, for the caller to return.
  bool ended();
  /// The file ends inside something; what is left of it counts as handed on.
  bool ended_inside(const std::string& what);

  /// From the window's position on, something is wrong: the bytes until end_damage() are lost.
  void begin_damage(std::string what);
  /// `found`: there is something to go on with.
  void end_damage(bool found);

  /// Goes on to the first of the bytes in view, from the `from`th on, at which plausible(offset in
  /// view) is true, loading as many as it takes. Each byte is looked at once. False when there is
  /// none up to the end of the file or of the bound; then all of them are behind the window.
  template <class Plausible>
  bool search(std::size_t from, Plausible&& plausible) {
    u64 passed = 0;
    while (true) {
      const bool more = in_.ensure(2 * found_bytes_max);
      const auto end = more ? in_.available() - found_bytes_max : in_.available();
      for (auto at = from; at < end; ++at) {
        if (!plausible(at)) continue;
        hand_on(file_piece::kind::damage, at);
        return true;
      }
      hand_on(file_piece::kind::damage, end);
      passed += end;
      from = 0;
      if (!more || passed >= search_bytes_max) return false;
    }
  }

  /// Passes the next n bytes, which are in view, to the observer and consumes them.
  void hand_on(file_piece::kind what, std::size_t n, u32 type = 0) {
    if (observer_ != nullptr && n > 0)
      observer_->piece({what, type, big_endian_, true, {in_.data(), n}});
    in_.consume(n);
  }
  /// The same for bytes that need not be in view, piece by piece; false if the file ends before.
  bool hand_on_large(file_piece::kind what, u64 n, u32 type = 0);

  [[nodiscard]] std::string position() const;

  [[nodiscard]] u32 load32(const std::byte* from) const noexcept {
    return big_endian_ ? wire::load_be<u32>(from) : wire::load_le<u32>(from);
  }

  window& in_;
  capture_summary& summary_;
  std::string name_;
  bool big_endian_ = false;

 private:
  file_observer* observer_ = nullptr;
  std::string damage_; ///< the sentence about the place under way
  u64 damage_at_ = 0;
};

/// Times of neighbours in a file differ by less: otherwise one of them is taken for damage.
[[nodiscard]] inline bool near(nanos a, nanos b) noexcept {
  constexpr nanos apart = std::chrono::hours(24);
  return a < b ? b - a < apart : a - b < apart;
}

/// Nothing when the bytes do not start such a file; else the format, or a sentence why not.
/// · errors: the sentence names the file.
struct recognised {
  std::unique_ptr<format> reader;
  std::string error;
};
[[nodiscard]] std::optional<recognised> recognise_pcap(window& in, capture_summary& summary,
                                                       const std::string& name);
[[nodiscard]] std::optional<recognised> recognise_pcapng(window& in, capture_summary& summary,
                                                         const std::string& name);

} // namespace profiler::capture
