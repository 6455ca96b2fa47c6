#pragma once

#include "smb2/le_part.hpp"
#include "wire/error.hpp"
#include "wire/reader.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace smb2 {

/// Decodes one message or one buffer. The first error sticks.
/// · bytes: `message` is what was captured; `wire_length` what the message had on the wire.
/// · errors: a part behind the captured bytes but inside the wire length is `truncated`, with its
///   length kept; a part outside the wire length or inside the fixed fields is `bad_offset`.
class le_reader {
 public:
  static constexpr bool decoding = true;

  explicit le_reader(bytes message, std::size_t at = 0) : le_reader(message, message.size(), at) {}

  le_reader(bytes message, u64 wire_length, std::size_t at)
      : in_(message), wire_length_(std::max<u64>(wire_length, message.size())) {
    in_.skip(at);
  }

  [[nodiscard]] const wire::reader& cursor() const noexcept { return in_; }
  [[nodiscard]] wire::decode_error error(std::string_view what) const noexcept {
    return in_.error(what);
  }

  template <class T, class... More>
  bool operator()(const char*, T& field, More&... more) {
    if (!one(field)) return false;
    if constexpr (sizeof...(More) == 0)
      return true;
    else
      return (*this)(more...);
  }

  bool structure_size(u16 want) {
    u16 size = 0;
    return in_.le(size) && (size == want || in_.fail(wire::errc::bad_value));
  }

  bool pad(std::size_t n) { return in_.skip(n); }
  bool at_least_one_byte() { return true; }

  bool offset8(std::size_t slot) { return number<u8>(slots_[slot].offset); }
  bool offset16(std::size_t slot) { return number<u16>(slots_[slot].offset); }
  bool offset32(std::size_t slot) { return number<u32>(slots_[slot].offset); }
  template <class V>
  bool length8(V& v, std::size_t slot) {
    return length<u8>(v, slot);
  }
  template <class V>
  bool length16(V& v, std::size_t slot) {
    return length<u16>(v, slot);
  }
  template <class V>
  bool length32(V& v, std::size_t slot) {
    return length<u32>(v, slot);
  }
  template <class V>
  bool count8(const V&, std::size_t slot) {
    return number<u8>(slots_[slot].length);
  }
  template <class V>
  bool count16(const V&, std::size_t slot) {
    return number<u16>(slots_[slot].length);
  }
  template <class V>
  bool count32(const V&, std::size_t slot) {
    return number<u32>(slots_[slot].length);
  }

  template <class V>
  bool tail(const char*, V& v, std::size_t slot, std::size_t = 1) {
    if (!in_.ok()) return false;
    const auto [offset, length] = slots_[slot];
    if (length == 0) return true;
    if (fixed_end_ == 0) fixed_end_ = in_.position();
    if (offset < fixed_end_ || offset > wire_length_ || length > wire_length_ - offset)
      return in_.fail(wire::errc::bad_offset);
    return cut(v, offset, length);
  }

  template <class V>
  bool tail_to_end(const char* name, V& v, std::size_t slot, std::size_t align = 1) {
    auto& [offset, length] = slots_[slot];
    if (offset == 0) return in_.ok();
    length = offset < wire_length_ ? static_cast<u32>(wire_length_ - offset) : 1;
    return tail(name, v, slot, align);
  }

  template <class V>
  bool run(const char*, V& v, std::size_t slot) {
    if (!in_.ok()) return false;
    const auto length = slots_[slot].length;
    if (length > wire_length_ - in_.position()) return in_.fail(wire::errc::truncated);
    return cut(v, in_.position(), length) && in_.skip(length);
  }

  /// Elements are numbers, enums or structs with fields of their own.
  template <class T>
  bool list(const char*, std::vector<T>& v, std::size_t slot, u32 max) {
    const auto count = slots_[slot].length;
    if (count > max) return in_.fail(wire::errc::over_limit);
    if (count > in_.left()) return in_.fail(wire::errc::truncated);
    v.clear();
    v.reserve(count);
    for (u32 i = 0; i < count; ++i) {
      T element{};
      if (!one(element)) return false;
      v.push_back(element);
    }
    return true;
  }

  /// All that is left.
  template <class V>
  bool rest(const char*, V& v) {
    const auto length = wire_length_ - in_.position();
    return cut(v, in_.position(), static_cast<u32>(length)) && in_.skip(in_.left());
  }

  /// For parts with a form of their own (NEGOTIATE contexts).
  [[nodiscard]] u32 slot_offset(std::size_t slot) const noexcept { return slots_[slot].offset; }
  [[nodiscard]] u32 slot_count(std::size_t slot) const noexcept { return slots_[slot].length; }
  [[nodiscard]] u64 wire_length() const noexcept { return wire_length_; }
  bool fail(wire::errc code) { return in_.fail(code); }

 private:
  struct slot_value {
    u32 offset = 0;
    u32 length = 0;
  };

  template <class T>
  bool one(T& v) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> n{};
      if (!in_.le(n)) return false;
      v = static_cast<T>(n);
      return true;
    } else if constexpr (std::is_same_v<T, fileid>) {
      return in_.le(v.persistent) && in_.le(v.volatile_part);
    } else if constexpr (detail::is_byte_array<T>) {
      return in_.copy(v);
    } else if constexpr (std::is_unsigned_v<T>) {
      return in_.le(v);
    } else {
      return T::fields(v, *this);
    }
  }

  template <class T>
  bool number(u32& out) {
    T n = 0;
    if (!in_.le(n)) return false;
    out = n;
    return true;
  }

  template <class T, class V>
  bool length(V& v, std::size_t slot) {
    if (!number<T>(slots_[slot].length)) return false;
    if constexpr (std::is_same_v<V, utf16_view>)
      if (slots_[slot].length % 2 != 0) return in_.fail(wire::errc::bad_value);
    detail::set(v, {}, slots_[slot].length);
    return true;
  }

  /// `offset` and `length` lie inside the wire length.
  template <class V>
  bool cut(V& v, std::size_t offset, u32 length) {
    const auto message = in_.message();
    const auto from = std::min(offset, message.size());
    const auto there = std::min<std::size_t>(length, message.size() - from);
    detail::set(v, message.subspan(from, there), length);
    return there == length || in_.fail(wire::errc::truncated);
  }

  wire::reader in_;
  u64 wire_length_;
  std::size_t fixed_end_ = 0;
  std::array<slot_value, detail::slots_max> slots_{};
};

} // namespace smb2
