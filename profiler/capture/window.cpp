#include "profiler/capture/window.hpp"

#include <algorithm>
#include <cstring>

namespace profiler::capture {

bool window::refill(std::size_t n) {
  const auto have = end_ - begin_;
  if (have > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, have);
  begin_ = 0;
  end_ = have;
  if (buffer_.size() < std::max(n, window_bytes)) buffer_.resize(std::max(n, window_bytes));
  // Not more than needed to go on: the source may be a pipe that somebody is still writing to.
  while (end_ < n) {
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
