#pragma once

#include "profiler/capture/capture_reader.hpp"
#include "profiler/capture/window.hpp"

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

 protected:
  format(window& in, capture_summary& summary, std::string name)
      : in_(in), summary_(summary), name_(std::move(name)) {}

  /// Says that the file ends or breaks at the window's position; returns false for the caller to
  /// return.
  bool stop(const std::string& what);
  /// The same when fewer bytes are left than were needed.
  bool stop_cut(const std::string& inside);

  [[nodiscard]] std::string position() const;

  [[nodiscard]] static u32 load32(const std::byte* from, bool big_endian) noexcept {
    return big_endian ? wire::load_be<u32>(from) : wire::load_le<u32>(from);
  }
  [[nodiscard]] static u16 load16(const std::byte* from, bool big_endian) noexcept {
    return big_endian ? wire::load_be<u16>(from) : wire::load_le<u16>(from);
  }
  [[nodiscard]] static u64 load64(const std::byte* from, bool big_endian) noexcept {
    return big_endian ? wire::load_be<u64>(from) : wire::load_le<u64>(from);
  }

  window& in_;
  capture_summary& summary_;
  std::string name_;
};

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
