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

} // namespace nfs::v4
