#pragma once

#include "wire/bytes.hpp"

#include <cassert>
#include <vector>

namespace wire {

/// Builds one message: what is small is copied, payload is borrowed, and all goes out in one
/// gathered write.
/// · lifetime: borrowed bytes must live until the message was sent or flattened.
class writer {
 public:
  /// Bytes of the message so far, borrowed ones included.
  [[nodiscard]] std::size_t size() const noexcept { return own_.size() + borrowed_bytes_; }

  void put(bytes data) { own_.insert(own_.end(), data.begin(), data.end()); }

  void zeros(std::size_t n) { own_.resize(own_.size() + n); }

  template <std::unsigned_integral T>
  void be(T value) {
    store_be(grow(sizeof value), value);
  }

  template <std::unsigned_integral T>
  void le(T value) {
    store_le(grow(sizeof value), value);
  }

  /// Appends without copying.
  void borrow(bytes data) {
    if (data.empty()) return;
    borrowed_.push_back({own_.size(), data});
    borrowed_bytes_ += data.size();
  }

  /// Appends a message: what it owns is copied, what it borrows is borrowed.
  void append(const writer& other) {
    for (const auto& piece : other.borrowed_)
      borrowed_.push_back({own_.size() + piece.own_offset, piece.data});
    put(other.own_);
    borrowed_bytes_ += other.borrowed_bytes_;
  }

  /// The owned bytes at `position`, to patch a length or an offset that is known only later.
  /// `position` is what size() was when they were written; borrowed bytes cannot be patched.
  [[nodiscard]] std::span<std::byte> patch(std::size_t position, std::size_t n) {
    std::size_t shift = 0;
    for (const auto& piece : borrowed_) {
      if (piece.own_offset + shift >= position + n) break;
      shift += piece.data.size();
    }
    assert(position >= shift && n <= own_.size() && position - shift <= own_.size() - n);
    return std::span(own_).subspan(position - shift, n);
  }

  /// Calls f(bytes) for each piece in wire order.
  template <class F>
  void for_each_segment(F&& f) const {
    std::size_t done = 0;
    for (const auto& piece : borrowed_) {
      if (piece.own_offset > done) f(bytes(own_).subspan(done, piece.own_offset - done));
      f(piece.data);
      done = piece.own_offset;
    }
    if (own_.size() > done) f(bytes(own_).subspan(done));
  }

  [[nodiscard]] std::vector<std::byte> flatten() const {
    std::vector<std::byte> out;
    out.reserve(size());
    for_each_segment([&](bytes part) { out.insert(out.end(), part.begin(), part.end()); });
    return out;
  }

  /// Forgets the message and keeps the memory.
  void clear() noexcept {
    own_.clear();
    borrowed_.clear();
    borrowed_bytes_ = 0;
  }

 private:
  struct borrowed_piece {
    std::size_t own_offset; ///< owned bytes that come before it
    bytes data;
  };

  std::byte* grow(std::size_t n) {
    const auto at = own_.size();
    own_.resize(at + n);
    return own_.data() + at; // not from the end: GCC 12 -O3 takes that for a place before the start
  }

  std::vector<std::byte> own_;
  std::vector<borrowed_piece> borrowed_;
  std::size_t borrowed_bytes_ = 0;
};

} // namespace wire
