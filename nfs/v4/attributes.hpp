#pragma once

#include "nfs/v4/types.hpp"

#include <optional>

namespace nfs::v4 {

/// Attributes that are asked for by name here. Source: RFC 8881 section 5.
namespace attribute {
inline constexpr u32 supported_attrs = 0;
inline constexpr u32 type = 1;
inline constexpr u32 change = 3;
inline constexpr u32 size = 4;
inline constexpr u32 fsid = 8;
inline constexpr u32 lease_time = 10;
inline constexpr u32 filehandle = 19;
inline constexpr u32 fileid = 20;
inline constexpr u32 maxread = 30;
inline constexpr u32 maxwrite = 31;
inline constexpr u32 mode = 33;
inline constexpr u32 time_modify = 53;
} // namespace attribute

/// The value of one attribute as it stands on the wire; nothing when it is not there, was cut, or
/// stands behind an attribute of unknown size.
/// · source: RFC 8881 section 5, RFC 7862 section 12, RFC 8275, RFC 8276, RFC 9754
[[nodiscard]] std::optional<bytes> find_attribute(const fattr& attributes, u32 number) noexcept;

/// The same, decoded.
[[nodiscard]] std::optional<u32> find_word(const fattr& attributes, u32 number) noexcept;
[[nodiscard]] std::optional<u64> find_hyper(const fattr& attributes, u32 number) noexcept;
[[nodiscard]] std::optional<file_handle> find_handle(const fattr& attributes) noexcept;

/// Attributes to be set: add them in the order of their numbers.
class attribute_list {
 public:
  void size(u64 bytes_of_file) { add(attribute::size, bytes_of_file); }
  void mode(u32 bits) { add(attribute::mode, bits); }

  /// · lifetime: points into this.
  [[nodiscard]] fattr view() const {
    fattr out;
    out.attrmask = mask_;
    out.attr_vals = values_;
    return out;
  }

 private:
  template <class T>
  void add(u32 number, T value) {
    mask_.set(number);
    values_.resize(values_.size() + sizeof value);
    wire::store_be(values_.data() + values_.size() - sizeof value, value);
  }

  bitmap mask_;
  std::vector<std::byte> values_;
};

} // namespace nfs::v4
