#pragma once

#include "smb2/types.hpp"

#include <string>
#include <system_error>

namespace smb2 {

/// The codes that this client, its server and the profiler name (MS-ERREF 2.3.1).
namespace status {
inline constexpr u32 success = 0x0000'0000;
inline constexpr u32 pending = 0x0000'0103;
inline constexpr u32 notify_cleanup = 0x0000'010B;
inline constexpr u32 notify_enum_dir = 0x0000'010C;
inline constexpr u32 buffer_overflow = 0x8000'0005;
inline constexpr u32 no_more_files = 0x8000'0006;
inline constexpr u32 stopped_on_symlink = 0x8000'002D;
inline constexpr u32 invalid_info_class = 0xC000'0003;
inline constexpr u32 info_length_mismatch = 0xC000'0004;
inline constexpr u32 invalid_parameter = 0xC000'000D;
inline constexpr u32 no_such_file = 0xC000'000F;
inline constexpr u32 invalid_device_request = 0xC000'0010;
inline constexpr u32 end_of_file = 0xC000'0011;
inline constexpr u32 more_processing_required = 0xC000'0016;
inline constexpr u32 access_denied = 0xC000'0022;
inline constexpr u32 object_name_invalid = 0xC000'0033;
inline constexpr u32 object_name_not_found = 0xC000'0034;
inline constexpr u32 object_name_collision = 0xC000'0035;
inline constexpr u32 object_path_not_found = 0xC000'003A;
inline constexpr u32 sharing_violation = 0xC000'0043;
inline constexpr u32 logon_failure = 0xC000'006D;
inline constexpr u32 insufficient_resources = 0xC000'009A;
inline constexpr u32 file_is_a_directory = 0xC000'00BA;
inline constexpr u32 not_supported = 0xC000'00BB;
inline constexpr u32 bad_network_name = 0xC000'00CC;
inline constexpr u32 not_a_directory = 0xC000'0103;
inline constexpr u32 cancelled = 0xC000'0120;
inline constexpr u32 file_closed = 0xC000'0128;
inline constexpr u32 user_session_deleted = 0xC000'0203;
inline constexpr u32 network_session_expired = 0xC000'035C;
inline constexpr u32 file_not_available = 0xC000'0467;
} // namespace status

/// "STATUS_LOGON_FAILURE"; "NTSTATUS 0xC0001234" for a code that has no name here.
[[nodiscard]] std::string name_of_status(u32 code);

/// What a person is told: "wrong user name or password"; empty when the name says it all.
[[nodiscard]] std::string_view explain_status(u32 code) noexcept;

/// "STATUS_LOGON_FAILURE (wrong user name or password)"
[[nodiscard]] std::string describe_status(u32 code);

/// Whether `code` means that the command failed. STATUS_PENDING, more processing in a session
/// set-up, a buffer that was too small for all, the end of an enumeration or of a file: these go on
/// or end as they should.
[[nodiscard]] bool is_failure(u16 command, u32 code) noexcept;

/// Whether the body is the command's response; otherwise it is an ERROR response (MS-SMB2 2.2.2,
/// 3.3.4.4).
[[nodiscard]] bool carries_response(u16 command, u32 code) noexcept;

/// error_code values are NTSTATUS codes; conditions of std::errc match where they say the same.
[[nodiscard]] const std::error_category& ntstatus_category() noexcept;
[[nodiscard]] std::error_code make_status_error(u32 code) noexcept;

} // namespace smb2
