#pragma once

#include "profiler/capture/packet.hpp"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profiler::capture {

using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

/// A frame that says it is longer than this is taken for damage. Ethernet's largest are 9 KB, but
/// hosts capture offloaded frames of up to 512 KiB.
inline constexpr u32 frame_bytes_max = 1024 * 1024;

/// Of one interface of the capture; a pcap file has one.
struct capture_interface {
  std::string name; ///< pcapng only
  u32 link_type = 0;
  u32 snap_length = 0;    ///< 0: no limit
  nanos resolution{1000}; ///< of its times, at least 1 ns
  u64 packets = 0;
  std::optional<u64> dropped; ///< by the interface and the system, where the file says so
};

/// What is known of a capture so far; complete after the last packet.
struct capture_summary {
  std::string format; ///< "pcap, µs" or "pcapng", with ", gzip" when compressed
  std::vector<capture_interface> interfaces;
  u64 packets = 0;
  u64 captured_bytes = 0; ///< of frames, without the file's own headers
  u64 wire_bytes = 0;
  u64 cut_packets = 0; ///< captured shorter than they were on the wire
  nanos first{0};      ///< earliest and latest time, whatever the order in the file
  nanos last{0};
  u64 time_steps_back = 0; ///< packets earlier than the one before them
  u64 dropped = 0;         ///< sum of the interfaces' counters
  u64 comments = 0;
  u64 skipped_blocks = 0;            ///< pcapng blocks that say nothing about packets
  std::vector<std::string> warnings; ///< sentences: what could not be read, and where

  /// Each link type once, in the order of the interfaces that have packets.
  [[nodiscard]] std::vector<u32> link_types() const;
  /// The shortest limit of an interface that cut a packet could have had; 0: none.
  [[nodiscard]] u32 snap_length() const;
};

/// Reads pcap (µs and ns, either byte order, with the patched record header too) and pcapng, plain
/// or packed by gzip, bzip2 or zstd, from a file, a pipe or memory. It holds one window of the file
/// (256 KiB, or one frame if that is more), so that memory does not grow with the file.
/// · errors: open() gives a sentence. Damage further on ends the packets, is told in warnings, and
///   what came before it stands.
/// · lifetime: a packet's data lives until the next call of next().
/// · source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng
class capture_reader {
 public:
  /// "-" is standard input.
  [[nodiscard]] static std::expected<capture_reader, std::string> open(const std::string& path);
  /// A capture that is in memory; `name` stands for the path in sentences.
  [[nodiscard]] static std::expected<capture_reader, std::string> over(bytes file,
                                                                       const std::string& name);

  capture_reader(capture_reader&&) noexcept;
  capture_reader& operator=(capture_reader&&) noexcept;
  ~capture_reader();

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
