#include "profiler/capture/window.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace profiler::capture {

void window::start_reading_ahead() {
  auto ahead = std::make_unique<read_ahead>(std::move(source_));
  if (ahead->start())
    ahead_ = std::move(ahead);
  else
    source_ = ahead->give_back();
}

bool window::refill(std::size_t n) {
  if (!ahead_) make_room(n);
  // Not more than needed to go on: the source may be a pipe that somebody is still writing to.
  while (end_ - begin_ < n) {
    if (ahead_) {
      if (!next_block(n)) return false;
      continue;
    }
    const auto got = source_->read(std::span(buffer_).subspan(end_));
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

/// For n bytes of view in the buffer. What is in view moves only when there is no room behind it,
/// and a window that had to grow gets room for twice as much: whoever asks for large pieces at
/// every step still costs linear time.
void window::make_room(std::size_t n) {
  const bool elsewhere = base_ != buffer_.data();
  if (!elsewhere && !buffer_.empty() && n <= buffer_.size() - begin_) return;
  const auto have = end_ - begin_;
  std::vector<std::byte> larger;
  if (buffer_.size() < n || buffer_.empty()) larger.resize(n > window_bytes ? 2 * n : window_bytes);
  auto& to = larger.empty() ? buffer_ : larger;
  if (have > 0 && (elsewhere || begin_ > 0 || &to == &larger))
    std::memmove(to.data(), base_ + begin_, have);
  if (!larger.empty()) buffer_ = std::move(larger);
  base_ = buffer_.data();
  begin_ = 0;
  end_ = have;
}

/// Puts what is left in view in front of the next block, and looks at the block in place; what is
/// too large for that goes to the buffer, the block behind it.
bool window::next_block(std::size_t n) {
  const auto left = end_ - begin_;
  std::array<std::byte, read_ahead::headroom_bytes> rest;
  const bool fits = left <= rest.size();
  if (fits && left > 0)
    std::memcpy(rest.data(), base_ + begin_, left);
  else if (!fits)
    make_room(std::max(n, left) + read_ahead::block_bytes);
  const auto block = ahead_->next();
  if (!fits) {
    std::copy(block.begin(), block.end(), base_ + end_);
    end_ += block.size();
  } else if (!block.empty()) {
    base_ = block.data() - left;
    std::memcpy(base_, rest.data(), left);
    begin_ = 0;
    end_ = left + block.size();
  }
  // At the end the block in view stays: nobody fills it any more.
  return !block.empty();
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
