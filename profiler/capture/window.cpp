#include "profiler/capture/window.hpp"

#include <algorithm>
#include <cstring>

namespace profiler::capture {

bool window::refill(std::size_t n) {
  // What is in view moves only when there is no room behind it, and a window that had to grow gets
  // room for twice as much: whoever asks for large pieces at every step still costs linear time.
  if (buffer_.empty() || n > buffer_.size() - begin_) {
    const auto have = end_ - begin_;
    if (have > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, have);
    begin_ = 0;
    end_ = have;
    if (buffer_.size() < n || buffer_.empty())
      buffer_.resize(n > window_bytes ? 2 * n : window_bytes);
  }
  // Not more than needed to go on: the source may be a pipe that somebody is still writing to.
  while (end_ - begin_ < n) {
    const auto got = source_->read(std::span(buffer_).subspan(end_));
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

bool window::skip(u64 n) {
  while (n > available()) {
    n -= available();
    consume(available());
    if (!refill(1)) return false;
  }
  consume(static_cast<std::size_t>(n));
  return true;
}

} // namespace profiler::capture
