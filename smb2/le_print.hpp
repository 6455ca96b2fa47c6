#pragma once

#include "smb2/contexts/negotiate.hpp"
#include "smb2/le.hpp"

#include <concepts>
#include <string>

namespace smb2 {

/// Writes a message for people: `desired_access=0x80 file={...} name="a\b"`. The third archive.
class le_print {
 public:
  static constexpr bool decoding = false;

  explicit le_print(std::string& out) noexcept : out_(&out) {}

  template <class T, class... More>
  bool operator()(const char* name, const T& field, const More&... more) {
    label(name);
    value(field);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
    return true;
  }

  bool structure_size(u16) { return true; }
  bool pad(std::size_t) { return true; }
  bool at_least_one_byte() { return true; }
  bool offset8(std::size_t) { return true; }
  bool offset16(std::size_t) { return true; }
  bool offset32(std::size_t) { return true; }
  bool length8(const auto&, std::size_t) { return true; }
  bool length16(const auto&, std::size_t) { return true; }
  bool length32(const auto&, std::size_t) { return true; }
  bool count8(const auto&, std::size_t) { return true; }
  bool count16(const auto&, std::size_t) { return true; }
  bool count32(const auto&, std::size_t) { return true; }
  bool fail(wire::errc) { return false; }

  template <class V>
  bool tail(const char* name, const V& v, std::size_t, std::size_t = 1) {
    return rest(name, v);
  }
  template <class V>
  bool tail_to_end(const char* name, const V& v, std::size_t, std::size_t = 1) {
    return rest(name, v);
  }
  template <class V>
  bool run(const char* name, const V& v, std::size_t) {
    return rest(name, v);
  }
  template <class V>
  bool rest(const char* name, const V& v) {
    label(name);
    value(v);
    return true;
  }
  template <class T>
  bool list(const char* name, const std::vector<T>& v, std::size_t, u32) {
    label(name);
    out_->push_back('[');
    for (const auto& item : v) {
      if (out_->back() != '[') out_->push_back(' ');
      value(item);
    }
    out_->push_back(']');
    return true;
  }

 private:
  void label(const char* name);
  void number(u64 n);
  void opaque(bytes data, u64 length);
  void quoted(const utf16_view& text);

  template <class T>
  void value(const T& v) {
    if constexpr (std::is_same_v<T, utf16_view>)
      quoted(v);
    else if constexpr (std::is_same_v<T, part>)
      opaque(v.data, v.length);
    else if constexpr (std::convertible_to<const T&, bytes>)
      opaque(v, bytes(v).size());
    else if constexpr (requires {
                         { to_string(v) } -> std::convertible_to<std::string_view>;
                       })
      out_->append(to_string(v));
    else if constexpr (std::is_enum_v<T>)
      number(static_cast<u64>(std::to_underlying(v)));
    else if constexpr (std::is_unsigned_v<T>)
      number(v);
    else if constexpr (std::is_same_v<T, fileid>) {
      number(v.persistent);
      out_->push_back(':');
      number(v.volatile_part);
    } else {
      out_->push_back('{');
      T::fields(v, *this);
      out_->push_back('}');
    }
  }

  std::string* out_;
};

template <class T>
[[nodiscard]] std::string print(const T& message) {
  std::string out;
  le_print ar(out);
  T::fields(message, ar);
  return out;
}

} // namespace smb2
