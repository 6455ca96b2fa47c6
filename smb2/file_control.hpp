#pragma once

#include "smb2/file.hpp"

namespace smb2 {

/// An FSCTL on an open file: the input as its structure is encoded (smb2/ioctls.hpp), the response
/// as it comes, whatever its status. · units: output_max in bytes
[[nodiscard]] awaitable<std::expected<reply<ioctl>, error>>
control(file where, u32 ctl_code, std::vector<std::byte> input, u32 output_max);

namespace detail {

/// "IOCTL QUERY_ALLOCATED_RANGES a\b: STATUS_ACCESS_DENIED (...)"
[[nodiscard]] error control_error(std::string_view what, const file& where, u32 status);
[[nodiscard]] error bad_control(std::string_view what, const file& where,
                                const wire::decode_error& problem);

} // namespace detail

} // namespace smb2
