#pragma once

#include "wire/bytes.hpp"

#include <atomic>
#include <expected>
#include <memory>
#include <span>
#include <string>

namespace profiler::capture {

using wire::bytes;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// Where the bytes of a capture come from: a file, standard input, memory, a decompressor.
class byte_source {
 public:
  virtual ~byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  /// Writes the next bytes to `out` and returns how many; 0: there are no more, or there is
  /// trouble.
  [[nodiscard]] virtual std::size_t read(std::span<std::byte> out) = 0;

  /// Why the bytes ended too early, as the rest of a sentence: "its gzip data are damaged at …".
  /// Empty while all is well.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

  /// The bytes ended because somebody said so, not because there are no more.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 protected:
  byte_source() = default;

  std::string trouble_;
  bool stopped_ = false;
};

/// Opens a file, or standard input for "-". The error is a sentence that names the path.
[[nodiscard]] std::expected<std::unique_ptr<byte_source>, std::string>
open_source(const std::string& path);

/// The same for a file that is still being written: at its end it waits for more until `stop` is
/// set, and then has no more, wherever that is. A pipe ends when nobody has it open for writing.
/// A signal that sets `stop` is noticed within 100 ms.
/// · lifetime: `stop` must outlive the source.
[[nodiscard]] std::expected<std::unique_ptr<byte_source>, std::string>
open_growing(const std::string& path, const std::atomic<bool>& stop);

/// · lifetime: `data` must outlive the source.
[[nodiscard]] std::unique_ptr<byte_source> memory_source(bytes data);

} // namespace profiler::capture
