#pragma once

#include "profiler/capture/file_observer.hpp"
#include "profiler/capture/packet.hpp"
#include "profiler/capture/summary.hpp"

#include <atomic>
#include <expected>
#include <memory>
#include <string>

namespace profiler::capture {

/// A frame that says it is longer than this is taken for damage. Ethernet's largest are 9 KB, but
/// hosts capture offloaded frames of up to 512 KiB.
inline constexpr u32 frame_bytes_max = 1024 * 1024;

/// Reads pcap (µs and ns, either byte order, with the patched record header too) and pcapng, plain
/// or packed by gzip, bzip2 or zstd, from a file, a pipe or memory. It holds one window of the file
/// (256 KiB; twice a frame or block that is larger, of which none has more than 2 MiB; 512 KiB more
/// behind damage), so that memory does not grow with the file; zstd needs up to 128 MiB besides if
/// the file was packed with --long or --ultra.
/// · errors: open() gives a sentence. Behind damage it goes on at the next record or block that is
///   plausible, and says in warnings where it was and how much was passed over; each byte is looked
///   at once, whatever the damage.
/// · lifetime: a packet's data lives until the next call of next().
/// · source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng
class capture_reader {
 public:
  /// "-" is standard input.
  [[nodiscard]] static std::expected<capture_reader, std::string> open(const std::string& path);
  /// The same for a file that is still being written: next() waits for more at its end, until
  /// `stop` is set. Packed files are refused.
  /// · lifetime: `stop` must outlive the reader.
  [[nodiscard]] static std::expected<capture_reader, std::string>
  open_growing(const std::string& path, const std::atomic<bool>& stop);
  /// A capture that is in memory; `name` stands for the path in sentences.
  [[nodiscard]] static std::expected<capture_reader, std::string> over(bytes file,
                                                                       const std::string& name);

  capture_reader(capture_reader&&) noexcept;
  capture_reader& operator=(capture_reader&&) noexcept;
  ~capture_reader();

  /// From now on `observer`, which must outlive the reader, is handed every piece of the file.
  void observe(file_observer& observer);

  /// False behind the last packet.
  [[nodiscard]] bool next(packet& out);

  [[nodiscard]] const capture_summary& summary() const noexcept;

  /// How far the file was read, of its (decompressed) bytes: for progress.
  [[nodiscard]] u64 offset() const noexcept;

  struct state;

 private:
  explicit capture_reader(std::unique_ptr<state> s);

  std::unique_ptr<state> state_;
};

} // namespace profiler::capture
