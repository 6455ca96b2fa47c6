#pragma once

#include "smb2/le_part.hpp"
#include "wire/error.hpp"
#include "wire/writer.hpp"

#include <array>
#include <cassert>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace smb2 {

/// Encodes behind what `out` holds; offsets count from `base`, where the SMB2 header (or the
/// buffer) starts in `out`.
/// · lifetime: file data (`part`) of `borrow_bytes_min` and more is not copied and must live until
///   the message was sent.
class le_writer {
 public:
  static constexpr bool decoding = false;
  /// Copying less than this is cheaper than one more segment in the gathered write.
  static constexpr std::size_t borrow_bytes_min = 2048;

  le_writer(wire::writer& out, std::size_t base) : out_(&out), base_(base) {}

  template <class T, class... More>
  bool operator()(const char*, const T& field, const More&... more) {
    one(field);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
    return true;
  }

  bool structure_size(u16 size) {
    out_->le(size);
    return true;
  }

  bool pad(std::size_t n) {
    out_->zeros(n);
    return true;
  }

  bool at_least_one_byte() {
    if (!has_tail_) out_->zeros(1);
    return true;
  }

  bool offset8(std::size_t slot) { return later<u8>(slot); }
  bool offset16(std::size_t slot) { return later<u16>(slot); }
  bool offset32(std::size_t slot) { return later<u32>(slot); }
  template <class V>
  bool length8(const V& v, std::size_t) {
    return number<u8>(detail::view_of(v).size());
  }
  template <class V>
  bool length16(const V& v, std::size_t) {
    return number<u16>(detail::view_of(v).size());
  }
  template <class V>
  bool length32(const V& v, std::size_t) {
    return number<u32>(detail::view_of(v).size());
  }
  template <class V>
  bool count8(const V& v, std::size_t) {
    return number<u8>(v.size());
  }
  template <class V>
  bool count16(const V& v, std::size_t) {
    return number<u16>(v.size());
  }
  template <class V>
  bool count32(const V& v, std::size_t) {
    return number<u32>(v.size());
  }

  template <class V>
  bool tail(const char*, const V& v, std::size_t slot, std::size_t align = 1) {
    const auto data = detail::view_of(v);
    if (data.empty()) return true;
    begin_tail(slot, align);
    put(v, data);
    return true;
  }

  template <class V>
  bool tail_to_end(const char* name, const V& v, std::size_t slot, std::size_t align = 1) {
    return tail(name, v, slot, align);
  }

  template <class V>
  bool run(const char*, const V& v, std::size_t) {
    const auto data = detail::view_of(v);
    if (!data.empty()) has_tail_ = true;
    put(v, data);
    return true;
  }

  template <class T>
  bool list(const char*, const std::vector<T>& v, std::size_t, u32 max) {
    assert(v.size() <= max);
    static_cast<void>(max);
    for (const auto& element : v)
      one(element);
    if (!v.empty()) has_tail_ = true;
    return true;
  }

  template <class V>
  bool rest(const char*, const V& v) {
    put(v, detail::view_of(v));
    return true;
  }

  /// Aligns, and patches the offset of `slot` to what comes next.
  void begin_tail(std::size_t slot, std::size_t align) {
    const auto here = position();
    out_->zeros(wire::align_up(here, align) - here);
    const auto [at, width] = pending_[slot];
    if (width != 0) {
      const auto offset = position();
      assert(offset < std::size_t{1} << (8 * width));
      auto to = out_->patch(base_ + at, width);
      for (std::size_t i = 0; i < width; ++i)
        to[i] = static_cast<std::byte>((offset >> (8 * i)) & 0xFF);
    }
    has_tail_ = true;
  }

  /// Only a struct that we filled wrongly ends here.
  bool fail(wire::errc) {
    assert(false);
    return false;
  }

  [[nodiscard]] std::size_t position() const noexcept { return out_->size() - base_; }
  [[nodiscard]] wire::writer& out() noexcept { return *out_; }

 private:
  struct unpatched {
    std::size_t at = 0;
    std::size_t width = 0;
  };

  template <class T>
  bool one(const T& v) {
    if constexpr (std::is_enum_v<T>) {
      out_->le(std::to_underlying(v));
      return true;
    } else if constexpr (std::is_same_v<T, fileid>) {
      out_->le(v.persistent);
      out_->le(v.volatile_part);
      return true;
    } else if constexpr (detail::is_byte_array<T>) {
      out_->put(v);
      return true;
    } else if constexpr (std::is_unsigned_v<T>) {
      out_->le(v);
      return true;
    } else {
      return T::fields(v, *this);
    }
  }

  template <class T>
  bool later(std::size_t slot) {
    pending_[slot] = {position(), sizeof(T)};
    out_->le(T{0});
    return true;
  }

  /// Our own mistake, not the peer's: callers keep names and tokens below what the field can say.
  template <class T>
  bool number(std::size_t n) {
    assert(n <= std::numeric_limits<T>::max());
    out_->le(static_cast<T>(n));
    return true;
  }

  template <class V>
  void put(const V&, bytes data) {
    if (std::is_same_v<V, part> && data.size() >= borrow_bytes_min)
      out_->borrow(data);
    else
      out_->put(data);
  }

  wire::writer* out_;
  std::size_t base_;
  bool has_tail_ = false;
  std::array<unpatched, detail::slots_max> pending_{};
};

} // namespace smb2
