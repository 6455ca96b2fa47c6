#pragma once

#include "smb2/direct_tcp.hpp"
#include "smb2/le_part.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>

namespace smb2 {

/// Where the end of a frame is wanted.
struct frame_place {
  std::size_t head_bytes = 0;   ///< of the frame before it
  std::span<std::byte> payload; ///< from there to the frame's end
};

/// Cuts the stream that a client receives into frames, and puts their bytes at once where they are
/// wanted. A frame that lies in one fed chunk is not copied. Of a longer one the rest is asked for
/// at the place where it is to be: one that its reader names when it has seen the start, or else a
/// buffer as long as the frame. Unlike wire::framer it knows no gaps.
/// Call order: feed() or received(), then next() until it is empty.
/// · lifetime: a frame's data lives until the next call of next(), feed() or rest().
class frame_intake {
 public:
  /// What a reader has seen of a frame when it is asked where the rest goes: the header and the
  /// fixed part of a READ response (MS-SMB2 2.2.20), or all of a shorter frame.
  static constexpr std::size_t start_bytes = header_bytes + 16;

  void feed(bytes chunk, nanos now) noexcept {
    chunk_ = chunk;
    now_ = now;
  }

  /// The next whole frame. Of one that does not lie in one chunk `place_of(start, length)` is asked
  /// once for a std::optional<frame_place>.
  template <class PlaceOf>
  [[nodiscard]] std::optional<wire::frame> next(PlaceOf&& place_of) {
    if (!started_ && !start()) return std::nullopt;
    if (!begun_ && chunk_.size() >= length_) return take_whole();
    begin();
    while (!asked_) {
      take(std::min(start_bytes, length_));
      if (have_ < std::min(start_bytes, length_)) return std::nullopt;
      settle(place_of(bytes(buffer_.get(), have_), u64{length_}));
    }
    take(length_);
    if (have_ < length_) return std::nullopt;
    return finish();
  }

  /// Where the next bytes of the stream should go; empty: they are to be fed.
  [[nodiscard]] std::span<std::byte> place() const noexcept;
  /// So many bytes stand at place().
  void received(std::size_t n, nanos now) noexcept {
    now_ = now;
    have_ += n;
  }

  /// The named place goes away: what is still to come of its payload is dropped.
  void displace() noexcept;

  /// Of the last frame: what stands at the place that was named for it.
  [[nodiscard]] bytes placed() const noexcept { return payload_; }
  /// Of the last frame: its bytes, when they stand in the intake's own buffer.
  [[nodiscard]] std::span<std::byte> own_bytes() const noexcept { return own_; }
  /// False: something came that starts no frame.
  [[nodiscard]] bool in_step() const noexcept { return in_step_; }
  /// Nothing long is expected: gives a long buffer back.
  void rest() noexcept;

 private:
  bool start();
  void begin();
  void settle(const std::optional<frame_place>& named);
  void take(std::size_t until);
  void reserve(std::size_t wanted);
  [[nodiscard]] wire::frame take_whole();
  [[nodiscard]] wire::frame finish();
  [[nodiscard]] std::span<std::byte> rest_of_part() const noexcept;

  bytes chunk_;
  nanos now_{};
  std::array<std::byte, direct_tcp::prefix_bytes> prefix_{};
  std::size_t prefix_have_ = 0;
  bool in_step_ = true;
  bool started_ = false; ///< the prefix is there
  bool begun_ = false;   ///< the frame is longer than the chunk
  bool asked_ = false;   ///< where its rest goes
  bool dropping_ = false;
  std::size_t length_ = 0;
  std::size_t have_ = 0;
  std::size_t head_bytes_ = 0; ///< those that go to `buffer_`
  nanos first_{};
  std::span<std::byte> payload_;
  std::span<std::byte> own_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
};

} // namespace smb2
