#include "profiler/capture/read_ahead.hpp"

#include <system_error>

namespace profiler::capture {

bool read_ahead::start() {
  try {
    thread_ = std::thread([this] { fill(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

read_ahead::~read_ahead() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::span<std::byte> read_ahead::next() {
  std::unique_lock lock(mutex_);
  in_use_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return taken_ < filled_ || over_; });
  if (taken_ == filled_) {
    trouble_ = source_->trouble();
    stopped_ = source_->stopped();
    return {};
  }
  auto& b = blocks_[taken_ % blocks_max];
  ++taken_;
  in_use_ = true;
  return std::span(b.memory).subspan(headroom_bytes, b.size);
}

void read_ahead::fill() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      const auto busy = filled_ - taken_ + (in_use_ ? 1 : 0);
      return quit_ || busy < blocks_max;
    });
    if (quit_) return;
    auto& b = blocks_[filled_ % blocks_max];
    lock.unlock();
    const auto size = fill(b);
    lock.lock();
    b.size = size;
    if (size == 0)
      over_ = true;
    else
      ++filled_;
    changed_.notify_all();
    if (over_) return;
  }
}

/// A block that is not full ends the source, or is all that an unpacker had.
std::size_t read_ahead::fill(block& b) {
  const auto room = std::span(b.memory).subspan(headroom_bytes);
  std::size_t size = 0;
  while (size < room.size()) {
    const auto n = source_->read(room.subspan(size));
    if (n == 0) break;
    size += n;
  }
  return size;
}

} // namespace profiler::capture
