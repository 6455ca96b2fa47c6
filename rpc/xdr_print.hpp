#pragma once

#include "rpc/xdr.hpp"

#include <concepts>
#include <string>
#include <string_view>

namespace rpc {

namespace detail {

void print_number(std::string& out, u64 value);
/// Quoted, with everything but printable ASCII and UTF-8 escaped.
void print_text(std::string& out, std::string_view text);
/// Hex digits; of long data its start and its length.
void print_opaque(std::string& out, bytes data);

} // namespace detail

template <class E>
concept named_enum = word_enum<E> && requires(E e) {
  { to_string(e) } -> std::convertible_to<std::string_view>;
};

/// Writes a message for people: `file=0a0b offset=0 count=4096`. The fourth archive.
class xdr_print {
 public:
  static constexpr bool decoding = false;

  explicit xdr_print(std::string& out) noexcept : out_(out) {}

  template <class T, class... More>
  bool operator()(const char* name, const T& field, const More&... more) {
    label(name);
    value(field);
    if constexpr (sizeof...(More) == 0)
      return true;
    else
      return (*this)(more...);
  }

  bool opaque(const char* name, bytes data, u32) {
    label(name);
    detail::print_opaque(out_, data);
    return true;
  }

  bool payload(const char* name, bytes data, u32 max) { return opaque(name, data, max); }

  bool text(const char* name, std::string_view data, u32) {
    label(name);
    detail::print_text(out_, data);
    return true;
  }

  template <class T>
  bool array(const char* name, const std::vector<T>& items, u32) {
    label(name);
    out_ += '[';
    for (const auto& item : items) {
      if (out_.back() != '[') out_ += ' ';
      value(item);
    }
    out_ += ']';
    return true;
  }

  template <class T>
  bool chain(const char* name, const std::vector<T>& items, u32 max) {
    return array(name, items, max);
  }

  bool constant(const char*, u32) noexcept { return true; }
  bool refuse() noexcept { return true; }

 private:
  /// An unnamed field is the whole of its struct.
  void label(const char* name) {
    if (*name == '\0') return;
    if (!out_.empty() && out_.back() != '{' && out_.back() != '[') out_ += ' ';
    out_ += name;
    out_ += '=';
  }

  void value(const u32& field) { detail::print_number(out_, field); }
  void value(const u64& field) { detail::print_number(out_, field); }
  void value(const bool& field) { out_ += field ? "true" : "false"; }

  template <word_enum E>
  void value(const E& field) {
    if constexpr (named_enum<E>) {
      const std::string_view name = to_string(field);
      if (name != "unknown") {
        out_ += name;
        return;
      }
    }
    detail::print_number(out_, static_cast<u32>(field));
  }

  template <std::size_t N>
  void value(const std::array<std::byte, N>& field) {
    detail::print_opaque(out_, field);
  }

  template <class T>
  void value(const std::optional<T>& field) {
    if (field)
      value(*field);
    else
      out_ += '-';
  }

  template <class T>
  requires has_fields<const T, xdr_print>
  void value(const T& field) {
    if constexpr (requires { T::is_one_value; }) {
      T::fields(field, *this);
    } else {
      out_ += '{';
      T::fields(field, *this);
      out_ += '}';
    }
  }

  std::string& out_;
};

/// `status=NFS3_OK attributes={type=NF3REG …}`
template <class T>
[[nodiscard]] std::string print(const T& message) {
  std::string out;
  xdr_print ar(out);
  T::fields(message, ar);
  return out;
}

} // namespace rpc
