#pragma once

#include "profiler/capture/read_ahead.hpp"

#include <vector>

namespace profiler::capture {

/// The part of a source that is in memory: what a reader looks at, in one piece.
/// Bytes that were consumed stay readable until the next ensure() or skip().
/// Memory: `window_bytes`, or twice the largest ensure() that is more; callers bound what they ask
/// for. When it reads ahead, that and the blocks of read_ahead, which it looks at in place.
class window {
 public:
  /// Small enough that a frame is still in the second-level cache when it is looked at.
  static constexpr std::size_t window_bytes = 256 * 1024;

  explicit window(std::unique_ptr<byte_source> source) : source_(std::move(source)) {}

  /// From here on the source is read in a thread of its own, if the system gives one. Not for
  /// pipes, whose bytes should be looked at as they come.
  void start_reading_ahead();

  /// Brings at least n bytes into view; false if the source ends before.
  [[nodiscard]] bool ensure(std::size_t n) { return end_ - begin_ >= n || refill(n); }

  /// The next byte; valid for available() bytes.
  [[nodiscard]] const std::byte* data() const noexcept { return base_ + begin_; }
  [[nodiscard]] std::size_t available() const noexcept { return end_ - begin_; }

  /// n ≤ available()
  void consume(std::size_t n) noexcept {
    begin_ += n;
    offset_ += n;
  }

  /// Passes over n bytes, however many; false if the source ends before.
  [[nodiscard]] bool skip(u64 n);

  /// How many bytes were consumed: the position of data() in the (decompressed) file.
  [[nodiscard]] u64 offset() const noexcept { return offset_; }

  [[nodiscard]] const std::string& trouble() const noexcept {
    return ahead_ ? ahead_->trouble() : source_->trouble();
  }
  /// Somebody ended the waiting for more: what is in the middle then is no damage.
  [[nodiscard]] bool stopped() const noexcept {
    return ahead_ ? ahead_->stopped() : source_->stopped();
  }

 private:
  bool refill(std::size_t n);
  void make_room(std::size_t n);
  bool next_block(std::size_t n);

  std::unique_ptr<byte_source> source_;
  std::unique_ptr<read_ahead> ahead_; ///< in place of source_
  std::vector<std::byte> buffer_;
  std::byte* base_ = nullptr; ///< of buffer_, or of the block in view
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  u64 offset_ = 0;
};

} // namespace profiler::capture
