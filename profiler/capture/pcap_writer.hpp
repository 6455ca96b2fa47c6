#pragma once

#include "profiler/capture/packet.hpp"

#include <expected>
#include <string>
#include <vector>

namespace profiler::capture {

using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

/// Writes a pcap file with nanoseconds, in this host's byte order, through a buffer of 1 MiB.
/// · errors: open() gives a sentence; later ones stick, writing goes on without effect, and close()
///   gives the first.
/// · source: draft-ietf-opsawg-pcap
class pcap_writer {
 public:
  [[nodiscard]] static std::expected<pcap_writer, std::string> open(const std::string& path,
                                                                    u32 link_type, u32 snap_length);

  pcap_writer(pcap_writer&& other) noexcept;
  pcap_writer& operator=(pcap_writer&&) = delete;
  ~pcap_writer(); ///< closes

  void write(nanos at, bytes captured, u32 wire_length);

  /// Writes what is left, and says whether the file is whole.
  [[nodiscard]] std::expected<void, std::string> close();

  [[nodiscard]] u64 packets() const noexcept { return packets_; }
  [[nodiscard]] u64 bytes_written() const noexcept { return bytes_; }

 private:
  pcap_writer(int descriptor, std::string path);

  void append(bytes data);
  void flush();

  int descriptor_ = -1;
  std::string path_;
  std::vector<std::byte> buffer_;
  std::string error_;
  u64 packets_ = 0;
  u64 bytes_ = 0;
};

} // namespace profiler::capture
