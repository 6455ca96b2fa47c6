#pragma once

#include "smb2/types.hpp"
#include "wire/error.hpp"

#include <algorithm>
#include <optional>
#include <vector>

/// As much of DER as SPNEGO needs, both ways with one description: a struct has one
/// `static bool fields(auto& m, auto& ar)`, which says
///   ar.nested(tag, [&] { ... })            a constructed element and what is in it
///   ar.optional(outer, inner, value)       an element that may be missing, in an explicit tag
///   ar.oid(value), ar.oids(list, max), ar.constant(tag, value)
///   ar.extensions()                        what later versions may have added at the end
/// · source: ITU-T X.690 sections 8, 10; RFC 4178 appendix A
namespace smb2::auth {

namespace der_tag {
inline constexpr u8 bit_string = 0x03;
inline constexpr u8 octet_string = 0x04;
inline constexpr u8 oid = 0x06;
inline constexpr u8 enumerated = 0x0A;
inline constexpr u8 general_string = 0x1B;
inline constexpr u8 sequence = 0x30;
inline constexpr u8 application_0 = 0x60;
[[nodiscard]] constexpr u8 context(u8 n) noexcept {
  return static_cast<u8>(0xA0 | n);
}
} // namespace der_tag

/// Strict: definite lengths in their shortest form, nothing behind what is described. An element
/// never reaches beyond the one that it is in. The first error sticks.
class der_reader {
 public:
  explicit der_reader(bytes message) : message_(message), end_(message.size()) {}

  /// False too when an element is left over in it.
  template <class F>
  bool nested(u8 tag, F&& inside) {
    std::size_t length = 0;
    if (!header(tag, length)) return false;
    const auto outer_end = end_;
    end_ = at_ + length;
    if (!inside() || !ended()) return false;
    end_ = outer_end;
    return true;
  }

  bool optional(u8 outer, u8 inner, std::optional<bytes>& value) {
    value.reset();
    if (!next_is(outer)) return ok();
    return nested(outer, [&] { return primitive(inner, value.emplace()); });
  }

  template <class Enum>
  bool optional(u8 outer, std::optional<Enum>& value) {
    value.reset();
    if (!next_is(outer)) return ok();
    return nested(outer, [&] {
      bytes digits;
      if (!primitive(der_tag::enumerated, digits)) return false;
      if (digits.size() != 1) return fail(wire::errc::bad_value);
      value = static_cast<Enum>(digits.front());
      return true;
    });
  }

  /// A constructed element that may be missing; `there` says whether it is.
  template <class F>
  bool optional_nested(u8 outer, bool& there, F&& inside) {
    there = next_is(outer);
    return there ? nested(outer, inside) : ok();
  }

  bool oids(std::vector<bytes>& list, std::size_t max) {
    list.clear();
    while (ok() && at_ < end_) {
      if (list.size() == max) return fail(wire::errc::over_limit);
      if (!primitive(der_tag::oid, list.emplace_back())) return false;
    }
    return ok();
  }

  bool constant(u8 tag, bytes expected) {
    bytes got;
    return primitive(tag, got) &&
           (std::ranges::equal(got, expected) || fail(wire::errc::bad_value));
  }

  bool extensions() {
    while (ok() && at_ < end_) {
      std::size_t length = 0;
      if (!header(static_cast<u8>(message_[at_]), length)) return false;
      at_ += length;
    }
    return ok();
  }

  /// Nothing is left of the element, or of the message.
  bool ended() { return ok() && (at_ == end_ || fail(wire::errc::trailing_bytes)); }

  [[nodiscard]] wire::decode_error error(std::string_view title) const noexcept {
    return {code_, offset_, title};
  }

 private:
  [[nodiscard]] bool ok() const noexcept { return code_ == wire::errc::ok; }

  bool fail(wire::errc code) noexcept {
    if (ok()) {
      code_ = code;
      offset_ = static_cast<u32>(at_);
    }
    return false;
  }

  [[nodiscard]] bool next_is(u8 tag) const noexcept {
    return ok() && at_ < end_ && message_[at_] == std::byte{tag};
  }

  bool octet(u8& value) noexcept {
    if (!ok()) return false;
    if (at_ == end_) return fail(wire::errc::truncated);
    value = static_cast<u8>(message_[at_++]);
    return true;
  }

  bool header(u8 tag, std::size_t& length) {
    u8 got = 0, first = 0;
    if (!octet(got)) return false;
    if (got != tag || (tag & 0x1F) == 0x1F) return fail(wire::errc::bad_value);
    if (!octet(first)) return false;
    length = first;
    if (first >= 0x80 && !long_length(first & 0x7F, length)) return false;
    return length <= end_ - at_ || fail(wire::errc::truncated);
  }

  bool long_length(u8 octets, std::size_t& length) {
    // 0 would be the indefinite form; more than three is more than any SMB2 message has.
    if (octets == 0) return fail(wire::errc::bad_value);
    if (octets > 3) return fail(wire::errc::over_limit);
    length = 0;
    for (u8 i = 0; i < octets; ++i) {
      u8 next = 0;
      if (!octet(next)) return false;
      length = length << 8 | next;
    }
    const auto least = octets == 1 ? std::size_t{0x80} : std::size_t{1} << (8 * (octets - 1));
    return length >= least || fail(wire::errc::bad_value);
  }

  bool primitive(u8 tag, bytes& value) {
    std::size_t length = 0;
    if (!header(tag, length)) return false;
    value = message_.subspan(at_, length);
    at_ += length;
    return true;
  }

  bytes message_;
  std::size_t at_ = 0;
  std::size_t end_;
  wire::errc code_ = wire::errc::ok;
  u32 offset_ = 0;
};

/// Tokens are small: an element is written first and its header put before it.
class der_writer {
 public:
  template <class F>
  bool nested(u8 tag, F&& inside) {
    const auto start = out_.size();
    if (!inside()) return false;
    const auto head = header_of(tag, out_.size() - start);
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(start), head.begin(), head.end());
    return true;
  }

  bool optional(u8 outer, u8 inner, const std::optional<bytes>& value) {
    return !value || nested(outer, [&] { return constant(inner, *value); });
  }

  template <class Enum>
  bool optional(u8 outer, const std::optional<Enum>& value) {
    if (!value) return true;
    const auto digit = static_cast<std::byte>(*value);
    return nested(outer, [&] { return constant(der_tag::enumerated, bytes(&digit, 1)); });
  }

  template <class F>
  bool optional_nested(u8 outer, bool there, F&& inside) {
    return !there || nested(outer, inside);
  }

  bool oids(const std::vector<bytes>& list, std::size_t) {
    for (const bytes oid : list)
      constant(der_tag::oid, oid);
    return true;
  }

  bool constant(u8 tag, bytes value) {
    return nested(tag, [&] {
      out_.insert(out_.end(), value.begin(), value.end());
      return true;
    });
  }

  bool extensions() { return true; }

  [[nodiscard]] std::vector<std::byte> take() { return std::move(out_); }

 private:
  static std::vector<std::byte> header_of(u8 tag, std::size_t length) {
    std::vector<std::byte> head{std::byte{tag}};
    if (length >= 0x80) {
      const u8 octets = length > 0xFFFF ? 3 : length > 0xFF ? 2 : 1;
      head.push_back(static_cast<std::byte>(0x80 | octets));
      for (int shift = 8 * (octets - 1); shift > 0; shift -= 8)
        head.push_back(static_cast<std::byte>(length >> shift & 0xFF));
    }
    head.push_back(static_cast<std::byte>(length & 0xFF));
    return head;
  }

  std::vector<std::byte> out_;
};

} // namespace smb2::auth
