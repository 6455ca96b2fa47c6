#pragma once

#include "profiler/capture/byte_source.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace profiler::capture {

/// Reads (and unpacks) a source in a thread of its own, some blocks ahead of who looks at them:
/// what the kernel needs to hand a file over is about what the analysis needs to look at it.
/// Memory: `blocks_max` blocks. The source belongs to the thread until the end was told.
class read_ahead {
 public:
  static constexpr std::size_t block_bytes = 256 * 1024;
  /// In front of each block, for what is left of the one before: a frame that lies in both.
  static constexpr std::size_t headroom_bytes = 64 * 1024;
  static constexpr std::size_t blocks_max = 4;

  explicit read_ahead(std::unique_ptr<byte_source> source) : source_(std::move(source)) {}
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;
  ~read_ahead();

  /// False when there is no thread to be had; then the source may be taken back.
  [[nodiscard]] bool start();
  [[nodiscard]] std::unique_ptr<byte_source> give_back() { return std::move(source_); }

  /// The next bytes, with `headroom_bytes` that may be written in front of them; empty at the end.
  /// · lifetime: until the next call.
  [[nodiscard]] std::span<std::byte> next();

  /// Of the source; known when next() gave nothing.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  struct block {
    std::vector<std::byte> memory = std::vector<std::byte>(headroom_bytes + block_bytes);
    std::size_t size = 0;
  };

  void fill();
  [[nodiscard]] std::size_t fill(block& b);

  std::unique_ptr<byte_source> source_;
  std::array<block, blocks_max> blocks_;
  std::string trouble_;
  bool stopped_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex: blocks counted since the start. The one that was taken last stays in use.
  wire::u64 filled_ = 0;
  wire::u64 taken_ = 0;
  bool in_use_ = false;
  bool over_ = false; ///< behind `filled_` comes nothing
  bool quit_ = false;

  std::thread thread_; ///< last: it uses the rest
};

} // namespace profiler::capture
