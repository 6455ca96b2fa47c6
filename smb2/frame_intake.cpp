#include "smb2/frame_intake.hpp"

#include <algorithm>
#include <cstring>

namespace smb2 {

namespace {

/// Shorter rests come along with what is behind them.
constexpr std::size_t worth_placing_bytes = 4096;
constexpr std::size_t idle_bytes_max = 65'536;

} // namespace

bool frame_intake::start() {
  own_ = {};
  payload_ = {};
  if (!in_step_) return false;
  while (prefix_have_ < prefix_.size()) {
    if (chunk_.empty()) return false;
    if (prefix_have_ == 0) first_ = now_;
    prefix_[prefix_have_++] = chunk_.front();
    chunk_ = chunk_.subspan(1);
  }
  const auto prefix = direct_tcp::parse(wire::load_be<u32>(prefix_.data()));
  in_step_ = prefix.valid;
  if (!in_step_) return false;
  length_ = prefix.length;
  prefix_have_ = 0;
  started_ = true;
  return true;
}

void frame_intake::begin() {
  if (begun_) return;
  begun_ = true;
  asked_ = dropping_ = false;
  have_ = 0;
  head_bytes_ = std::min(start_bytes, length_);
  reserve(head_bytes_);
}

/// A place that does not end where the frame does is none.
void frame_intake::settle(const std::optional<frame_place>& named) {
  asked_ = true;
  const bool fits = named && named->head_bytes >= have_ && named->head_bytes <= length_ &&
                    named->payload.size() == length_ - named->head_bytes;
  head_bytes_ = fits ? named->head_bytes : length_;
  if (fits) payload_ = named->payload;
  reserve(head_bytes_);
}

std::span<std::byte> frame_intake::rest_of_part() const noexcept {
  if (have_ < head_bytes_) return {buffer_.get() + have_, head_bytes_ - have_};
  return payload_.subspan(have_ - head_bytes_);
}

void frame_intake::take(std::size_t until) {
  while (have_ < until && !chunk_.empty()) {
    auto n = std::min(until - have_, chunk_.size());
    if (have_ < head_bytes_ || !dropping_) {
      const auto to = rest_of_part();
      n = std::min(n, to.size());
      std::memcpy(to.data(), chunk_.data(), n);
    }
    chunk_ = chunk_.subspan(n);
    have_ += n;
  }
}

std::span<std::byte> frame_intake::place() const noexcept {
  if (!begun_ || !asked_ || !chunk_.empty() || have_ == length_) return {};
  if (have_ >= head_bytes_ && dropping_) return {};
  const auto rest = rest_of_part();
  return rest.size() < worth_placing_bytes ? std::span<std::byte>{} : rest;
}

void frame_intake::displace() noexcept {
  dropping_ = begun_ && head_bytes_ < length_;
  payload_ = {};
}

wire::frame frame_intake::take_whole() {
  wire::frame out{.data = chunk_.first(length_),
                  .length = length_,
                  .prefix_bytes = direct_tcp::prefix_bytes,
                  .missing_bytes = 0,
                  .first = {.time = first_, .packet = 0},
                  .last = {.time = now_, .packet = 0}};
  chunk_ = chunk_.subspan(length_);
  started_ = false;
  return out;
}

wire::frame frame_intake::finish() {
  own_ = {buffer_.get(), head_bytes_};
  started_ = begun_ = false;
  return {.data = own_,
          .length = length_,
          .prefix_bytes = direct_tcp::prefix_bytes,
          .missing_bytes = 0,
          .first = {.time = first_, .packet = 0},
          .last = {.time = now_, .packet = 0}};
}

/// Not cleared: what a peer only announces costs no memory before it comes.
void frame_intake::reserve(std::size_t wanted) {
  if (wanted <= capacity_) return;
  auto grown = std::make_unique_for_overwrite<std::byte[]>(wanted);
  if (buffer_) std::memcpy(grown.get(), buffer_.get(), std::min(have_, capacity_));
  buffer_ = std::move(grown);
  capacity_ = wanted;
}

void frame_intake::rest() noexcept {
  if (started_ || capacity_ <= idle_bytes_max) return;
  own_ = {};
  buffer_.reset();
  capacity_ = 0;
}

} // namespace smb2
