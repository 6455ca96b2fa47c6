#pragma once

#include "wire/bytes.hpp"

#include <expected>
#include <memory>
#include <string>

namespace profiler::capture {

using wire::u32;
using wire::u64;

struct live_settings {
  std::string interface;
  std::string filter{};         ///< pcap-filter(7); empty: everything
  u32 snap_length = 262144;     ///< bytes kept of each frame
  u32 buffer_bytes = 32u << 20; ///< of the kernel's ring; what does not fit is dropped and counted
};

/// What came of a live capture.
struct live_result {
  u64 packets = 0; ///< written to the file
  u64 file_bytes = 0;
  u64 dropped = 0;           ///< by the kernel, because its ring was full
  u64 interface_dropped = 0; ///< by the interface or its driver, where they tell
  bool nanoseconds = false;  ///< the kernel's times are as fine as the file's
};

/// Writes a pcap file (ns) of an interface's traffic beside a run, in a thread of its own.
/// · errors: sentences: no permission, no such interface, a filter that does not parse, a file that
///   cannot be written.
class live_capture {
 public:
  /// Returns when the kernel captures: every packet from then on is in the file.
  [[nodiscard]] static std::expected<live_capture, std::string> start(const live_settings& s,
                                                                      const std::string& path);

  live_capture(live_capture&&) noexcept;
  live_capture& operator=(live_capture&&) noexcept;
  ~live_capture(); ///< stops

  /// Writes what the kernel has captured up to now, closes the file, and tells the counts.
  [[nodiscard]] std::expected<live_result, std::string> stop();

 private:
  struct state;
  explicit live_capture(std::unique_ptr<state> s);

  std::unique_ptr<state> state_;
};

} // namespace profiler::capture
