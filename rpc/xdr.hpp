#pragma once

#include "wire/bytes.hpp"
#include "wire/error.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

#include <array>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

/// External Data Representation. Source: RFC 4506.
/// A struct describes itself once, in wire order, and every archive walks that description:
///
///     static bool fields(auto& m, auto& ar) { return ar("offset", m.offset, "count", m.count); }
///
/// All items are big-endian words of 4 bytes; opaque data is padded with zeros to a multiple of 4.
namespace rpc {

using wire::bytes;
using wire::u32;
using wire::u64;
using wire::u8;

/// What procedures without arguments or results take and give.
struct nothing {
  static bool fields(auto&, auto&) noexcept { return true; }
};

template <class T, class Archive>
concept has_fields = requires(T& m, Archive& ar) {
  T::fields(m, ar);
};

template <class T>
concept word_enum = std::is_enum_v<T> && sizeof(T) == sizeof(u32);

/// Bytes of padding behind `n` bytes of opaque data.
[[nodiscard]] constexpr std::size_t xdr_padding(std::size_t n) noexcept {
  return (4 - n % 4) % 4;
}

/// Decodes. Booleans other than 0 and 1 are refused; padding may hold anything, as real servers
/// send what lay in their buffers.
/// · lifetime: opaque data and text are views into the message.
/// · errors: what was decoded before the first error stays in the struct; data that is cut short
///   gives the bytes that are there.
class xdr_reader {
 public:
  static constexpr bool decoding = true;

  explicit xdr_reader(bytes message) noexcept : in_(message) {}

  [[nodiscard]] wire::reader& input() noexcept { return in_; }
  [[nodiscard]] const wire::reader& input() const noexcept { return in_; }

  template <class T, class... More>
  bool operator()(const char*, T& field, More&... more) {
    if (!value(field)) return false;
    if constexpr (sizeof...(More) == 0)
      return true;
    else
      return (*this)(more...);
  }

  /// Variable-length opaque data of at most `max` bytes.
  bool opaque(const char*, bytes& out, u32 max) noexcept {
    u32 n = 0;
    if (!in_.be(n)) return false;
    if (n > max) return in_.fail(wire::errc::over_limit, sizeof n);
    if (n > in_.left()) {
      out = in_.rest();
      return in_.fail(wire::errc::truncated);
    }
    return in_.take(out, n) && in_.skip(xdr_padding(n));
  }

  /// Opaque data that the writer borrows instead of copying it.
  bool payload(const char* name, bytes& out, u32 max) noexcept { return opaque(name, out, max); }

  bool text(const char* name, std::string_view& out, u32 max) noexcept {
    bytes data;
    const bool ok = opaque(name, data, max);
    out = wire::as_text(data);
    return ok;
  }

  /// A counted array of at most `max` items.
  template <class T>
  bool array(const char*, std::vector<T>& out, u32 max) {
    u32 n = 0;
    if (!in_.be(n)) return false;
    if (n > max) return in_.fail(wire::errc::over_limit, sizeof n);
    out.clear();
    for (u32 i = 0; i < n; ++i)
      if (!append(out)) return false;
    return true;
  }

  /// A linked list: TRUE before each item, FALSE behind the last one.
  template <class T>
  bool chain(const char*, std::vector<T>& out, u32 max) {
    out.clear();
    while (true) {
      bool more = false;
      if (!value(more)) return false;
      if (!more) return true;
      if (out.size() == max) return in_.fail(wire::errc::over_limit, sizeof(u32));
      if (!append(out)) return false;
    }
  }

  /// A word that has one value only.
  bool constant(const char*, u32 expected) noexcept {
    u32 found = 0;
    if (!in_.be(found)) return false;
    return found == expected || refuse();
  }

  /// The word read last has a value that may not stand there.
  bool refuse() noexcept { return in_.fail(wire::errc::bad_value, sizeof(u32)); }

 private:
  bool value(u32& out) noexcept { return in_.be(out); }
  bool value(u64& out) noexcept { return in_.be(out); }

  bool value(bool& out) noexcept {
    u32 n = 0;
    if (!in_.be(n)) return false;
    if (n > 1) return refuse();
    out = n != 0;
    return true;
  }

  template <word_enum E>
  bool value(E& out) noexcept {
    u32 n = 0;
    if (!in_.be(n)) return false;
    out = static_cast<E>(n);
    return true;
  }

  template <std::size_t N>
  bool value(std::array<std::byte, N>& out) noexcept {
    static_assert(N % 4 == 0);
    return in_.copy(out);
  }

  template <class T>
  bool value(std::optional<T>& out) {
    bool present = false;
    out.reset();
    if (!value(present)) return false;
    return !present || value(out.emplace());
  }

  template <class T>
  requires has_fields<T, xdr_reader>
  bool value(T& out) { return T::fields(out, *this); }

  /// An item that is cut short is no item.
  template <class T>
  bool append(std::vector<T>& out) {
    if (value(out.emplace_back())) return true;
    out.pop_back();
    return false;
  }

  wire::reader in_;
};

/// Encodes into a wire::writer or counts into a byte_count. A field over its limit gives false and
/// leaves the message unfinished.
/// · lifetime: payload is borrowed (see wire::writer).
template <class Sink>
class xdr_encoder {
 public:
  static constexpr bool decoding = false;

  explicit xdr_encoder(Sink& out) noexcept : out_(out) {}

  template <class T, class... More>
  bool operator()(const char*, const T& field, const More&... more) {
    if (!value(field)) return false;
    if constexpr (sizeof...(More) == 0)
      return true;
    else
      return (*this)(more...);
  }

  bool opaque(const char*, bytes data, u32 max) {
    if (data.size() > max) return false;
    out_.be(static_cast<u32>(data.size()));
    out_.put(data);
    out_.zeros(xdr_padding(data.size()));
    return true;
  }

  bool payload(const char*, bytes data, u32 max) {
    if (data.size() > max) return false;
    out_.be(static_cast<u32>(data.size()));
    out_.borrow(data);
    out_.zeros(xdr_padding(data.size()));
    return true;
  }

  bool text(const char* name, std::string_view data, u32 max) {
    return opaque(name, wire::as_bytes(data), max);
  }

  template <class T>
  bool array(const char*, const std::vector<T>& items, u32 max) {
    if (items.size() > max) return false;
    out_.be(static_cast<u32>(items.size()));
    for (const auto& item : items)
      if (!value(item)) return false;
    return true;
  }

  template <class T>
  bool chain(const char*, const std::vector<T>& items, u32 max) {
    if (items.size() > max) return false;
    for (const auto& item : items)
      if (!value(true) || !value(item)) return false;
    return value(false);
  }

  bool constant(const char*, u32 expected) { return value(expected); }
  bool refuse() noexcept { return false; }

 private:
  bool value(const u32& field) {
    out_.be(field);
    return true;
  }
  bool value(const u64& field) {
    out_.be(field);
    return true;
  }
  bool value(const bool& field) { return value(u32{field}); }

  template <word_enum E>
  bool value(const E& field) {
    return value(static_cast<u32>(field));
  }

  template <std::size_t N>
  bool value(const std::array<std::byte, N>& field) {
    static_assert(N % 4 == 0);
    out_.put(field);
    return true;
  }

  template <class T>
  bool value(const std::optional<T>& field) {
    return value(field.has_value()) && (!field || value(*field));
  }

  template <class T>
  requires has_fields<const T, xdr_encoder>
  bool value(const T& field) { return T::fields(field, *this); }

  Sink& out_;
};

/// Takes the place of a wire::writer to learn how long a message is.
class byte_count {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void put(bytes data) noexcept { size_ += data.size(); }
  void borrow(bytes data) noexcept { size_ += data.size(); }
  void zeros(std::size_t n) noexcept { size_ += n; }
  template <std::unsigned_integral T>
  void be(T) noexcept {
    size_ += sizeof(T);
  }

 private:
  std::size_t size_ = 0;
};

using xdr_writer = xdr_encoder<wire::writer>;
using xdr_size = xdr_encoder<byte_count>;

/// Appends the message; false when a field is over its limit.
template <class T>
[[nodiscard]] bool encode(const T& message, wire::writer& out) {
  xdr_writer ar(out);
  return T::fields(message, ar);
}

/// Bytes that the message takes on the wire; nothing when a field is over its limit.
template <class T>
[[nodiscard]] std::optional<std::size_t> encoded_size(const T& message) {
  byte_count count;
  xdr_size ar(count);
  if (!T::fields(message, ar)) return std::nullopt;
  return count.size();
}

/// A message of which the end may be missing: fields are filled in wire order up to the error.
template <class T>
struct prefix {
  T message{};
  wire::decode_error error;
  std::size_t size = 0; ///< bytes that were decoded

  [[nodiscard]] bool ok() const noexcept { return error.code == wire::errc::ok; }
};

/// Decodes as far as it goes; bytes behind the message are left alone. `what` is a literal.
template <class T>
[[nodiscard]] prefix<T> decode_prefix(bytes data, std::string_view what = {}) {
  prefix<T> out;
  xdr_reader ar(data);
  static_cast<void>(T::fields(out.message, ar));
  out.error = ar.input().error(what);
  out.size = ar.input().position();
  return out;
}

/// Decodes a message that takes all of `data`.
template <class T>
[[nodiscard]] std::expected<T, wire::decode_error> decode_exact(bytes data,
                                                                std::string_view what = {}) {
  std::expected<T, wire::decode_error> out{};
  xdr_reader ar(data);
  if (T::fields(*out, ar) && ar.input().left() > 0) ar.input().fail(wire::errc::trailing_bytes);
  if (!ar.input().ok()) out = std::unexpected(ar.input().error(what));
  return out;
}

} // namespace rpc
