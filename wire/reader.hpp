#pragma once

#include "wire/bytes.hpp"
#include "wire/error.hpp"

#include <algorithm>

namespace wire {

/// A bounded cursor over one message. The first error sticks with its offset; from then on every
/// take fails, and what was decoded so far may be used only as a prefix (a capture cut short).
/// · lifetime: views handed out point into the message.
class reader {
 public:
  explicit reader(bytes message) noexcept : message_(message) {}

  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] std::size_t left() const noexcept { return message_.size() - position_; }
  [[nodiscard]] bytes message() const noexcept { return message_; }
  [[nodiscard]] bytes rest() const noexcept { return message_.subspan(position_); }
  [[nodiscard]] bool ok() const noexcept { return code_ == errc::ok; }
  [[nodiscard]] errc code() const noexcept { return code_; }

  [[nodiscard]] decode_error error(std::string_view message) const noexcept {
    return {code_, offset_, message};
  }

  /// Returns false always, so that callers can `return fail(...)`. The offset it notes lies
  /// `bytes_back` before the cursor: a value is judged only when it was taken.
  bool fail(errc code, std::size_t bytes_back = 0) noexcept {
    if (code_ == errc::ok) {
      code_ = code;
      offset_ = static_cast<u32>(position_ - bytes_back);
    }
    return false;
  }

  bool take(bytes& out, std::size_t n) noexcept {
    if (!room(n)) return false;
    out = message_.subspan(position_, n);
    position_ += n;
    return true;
  }

  bool skip(std::size_t n) noexcept {
    if (!room(n)) return false;
    position_ += n;
    return true;
  }

  template <std::unsigned_integral T>
  bool be(T& value) noexcept {
    if (!room(sizeof(T))) return false;
    value = load_be<T>(message_.data() + position_);
    position_ += sizeof(T);
    return true;
  }

  template <std::unsigned_integral T>
  bool le(T& value) noexcept {
    if (!room(sizeof(T))) return false;
    value = load_le<T>(message_.data() + position_);
    position_ += sizeof(T);
    return true;
  }

  bool copy(std::span<std::byte> out) noexcept {
    if (!room(out.size())) return false;
    if (!out.empty()) std::memcpy(out.data(), message_.data() + position_, out.size());
    position_ += out.size();
    return true;
  }

 private:
  bool room(std::size_t n) noexcept {
    if (code_ != errc::ok) return false;
    return n <= message_.size() - position_ || fail(errc::truncated);
  }

  bytes message_;
  std::size_t position_ = 0;
  u32 offset_ = 0;
  errc code_ = errc::ok;
};

} // namespace wire
