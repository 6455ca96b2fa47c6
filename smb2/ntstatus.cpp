#include "smb2/ntstatus.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace smb2 {

namespace {

struct status_text {
  u32 code;
  std::string_view name;
  std::string_view meaning;
};

/// Sorted by code.
constexpr std::array texts{
    status_text{0x0000'0000, "STATUS_SUCCESS", ""},
    status_text{0x0000'0103, "STATUS_PENDING", ""},
    status_text{0x0000'0104, "STATUS_REPARSE", ""},
    status_text{0x0000'010B, "STATUS_NOTIFY_CLEANUP", ""},
    status_text{0x0000'010C, "STATUS_NOTIFY_ENUM_DIR", "more changes than the buffer holds"},
    status_text{0x8000'0005, "STATUS_BUFFER_OVERFLOW", "more data than the buffer holds"},
    status_text{0x8000'0006, "STATUS_NO_MORE_FILES", ""},
    status_text{0x8000'0013, "STATUS_INVALID_EA_NAME", ""},
    status_text{0x8000'0014, "STATUS_EA_LIST_INCONSISTENT", ""},
    status_text{0x8000'001A, "STATUS_NO_MORE_ENTRIES", ""},
    status_text{0x8000'002D, "STATUS_STOPPED_ON_SYMLINK", "the path leads over a symbolic link"},
    status_text{0xC000'0001, "STATUS_UNSUCCESSFUL", ""},
    status_text{0xC000'0002, "STATUS_NOT_IMPLEMENTED", ""},
    status_text{0xC000'0003, "STATUS_INVALID_INFO_CLASS", ""},
    status_text{0xC000'0004, "STATUS_INFO_LENGTH_MISMATCH", ""},
    status_text{0xC000'0008, "STATUS_INVALID_HANDLE", ""},
    status_text{0xC000'000D, "STATUS_INVALID_PARAMETER", ""},
    status_text{0xC000'000E, "STATUS_NO_SUCH_DEVICE", ""},
    status_text{0xC000'000F, "STATUS_NO_SUCH_FILE", ""},
    status_text{0xC000'0010, "STATUS_INVALID_DEVICE_REQUEST", ""},
    status_text{0xC000'0011, "STATUS_END_OF_FILE", ""},
    status_text{0xC000'0016, "STATUS_MORE_PROCESSING_REQUIRED", ""},
    status_text{0xC000'0017, "STATUS_NO_MEMORY", "the server is out of memory"},
    status_text{0xC000'0022, "STATUS_ACCESS_DENIED", "not permitted for this user"},
    status_text{0xC000'0023, "STATUS_BUFFER_TOO_SMALL", ""},
    status_text{0xC000'0024, "STATUS_OBJECT_TYPE_MISMATCH", ""},
    status_text{0xC000'0033, "STATUS_OBJECT_NAME_INVALID", "a name that the server does not take"},
    status_text{0xC000'0034, "STATUS_OBJECT_NAME_NOT_FOUND", "no such file"},
    status_text{0xC000'0035, "STATUS_OBJECT_NAME_COLLISION", "it exists already"},
    status_text{0xC000'0039, "STATUS_OBJECT_PATH_INVALID", ""},
    status_text{0xC000'003A, "STATUS_OBJECT_PATH_NOT_FOUND", "no such directory"},
    status_text{0xC000'003B, "STATUS_OBJECT_PATH_SYNTAX_BAD", ""},
    status_text{0xC000'0043, "STATUS_SHARING_VIOLATION",
                "open elsewhere in a way that excludes us"},
    status_text{0xC000'0044, "STATUS_QUOTA_EXCEEDED", "the quota is used up"},
    status_text{0xC000'004F, "STATUS_EAS_NOT_SUPPORTED", "no extended attributes here"},
    status_text{0xC000'0050, "STATUS_EA_TOO_LARGE", ""},
    status_text{0xC000'0051, "STATUS_NONEXISTENT_EA_ENTRY", ""},
    status_text{0xC000'0052, "STATUS_NO_EAS_ON_FILE", ""},
    status_text{0xC000'0054, "STATUS_FILE_LOCK_CONFLICT", "locked by someone else"},
    status_text{0xC000'0055, "STATUS_LOCK_NOT_GRANTED", "locked by someone else"},
    status_text{0xC000'0056, "STATUS_DELETE_PENDING", "it is being deleted"},
    status_text{0xC000'005A, "STATUS_INVALID_OWNER", ""},
    status_text{0xC000'005B, "STATUS_INVALID_PRIMARY_GROUP", ""},
    status_text{0xC000'005E, "STATUS_NO_LOGON_SERVERS", "the server cannot reach its domain"},
    status_text{0xC000'0061, "STATUS_PRIVILEGE_NOT_HELD", "the user lacks a privilege for it"},
    status_text{0xC000'0064, "STATUS_NO_SUCH_USER", "no such user"},
    status_text{0xC000'006A, "STATUS_WRONG_PASSWORD", "wrong password"},
    status_text{0xC000'006D, "STATUS_LOGON_FAILURE", "wrong user name or password"},
    status_text{0xC000'006E, "STATUS_ACCOUNT_RESTRICTION", "the account may not log on this way"},
    status_text{0xC000'006F, "STATUS_INVALID_LOGON_HOURS", "the user may not log on at this hour"},
    status_text{0xC000'0070, "STATUS_INVALID_WORKSTATION", "the user may not log on from here"},
    status_text{0xC000'0071, "STATUS_PASSWORD_EXPIRED", "the password has expired"},
    status_text{0xC000'0072, "STATUS_ACCOUNT_DISABLED", "the account is disabled"},
    status_text{0xC000'0073, "STATUS_NONE_MAPPED", ""},
    status_text{0xC000'0077, "STATUS_INVALID_ACL", ""},
    status_text{0xC000'0078, "STATUS_INVALID_SID", ""},
    status_text{0xC000'0079, "STATUS_INVALID_SECURITY_DESCR", ""},
    status_text{0xC000'007E, "STATUS_RANGE_NOT_LOCKED", ""},
    status_text{0xC000'007F, "STATUS_DISK_FULL", "the disk is full"},
    status_text{0xC000'0098, "STATUS_FILE_INVALID", ""},
    status_text{0xC000'009A, "STATUS_INSUFFICIENT_RESOURCES", "the server is out of resources"},
    status_text{0xC000'009C, "STATUS_DEVICE_DATA_ERROR", "the disk gave an error"},
    status_text{0xC000'00A2, "STATUS_MEDIA_WRITE_PROTECTED", "the share is read-only"},
    status_text{0xC000'00A3, "STATUS_DEVICE_NOT_READY", ""},
    status_text{0xC000'00AC, "STATUS_PIPE_NOT_AVAILABLE", "no instance of the pipe is free"},
    status_text{0xC000'00AD, "STATUS_INVALID_PIPE_STATE", ""},
    status_text{0xC000'00AE, "STATUS_PIPE_BUSY", ""},
    status_text{0xC000'00B0, "STATUS_PIPE_DISCONNECTED", "the other end of the pipe is gone"},
    status_text{0xC000'00B1, "STATUS_PIPE_CLOSING", ""},
    status_text{0xC000'00B4, "STATUS_INVALID_READ_MODE", ""},
    status_text{0xC000'00B5, "STATUS_IO_TIMEOUT", ""},
    status_text{0xC000'00B6, "STATUS_FILE_FORCED_CLOSED", ""},
    status_text{0xC000'00BA, "STATUS_FILE_IS_A_DIRECTORY", "it is a directory"},
    status_text{0xC000'00BB, "STATUS_NOT_SUPPORTED", "the server does not support it"},
    status_text{0xC000'00BE, "STATUS_BAD_NETWORK_PATH", ""},
    status_text{0xC000'00C3, "STATUS_INVALID_NETWORK_RESPONSE", ""},
    status_text{0xC000'00C9, "STATUS_NETWORK_NAME_DELETED", "the share was removed"},
    status_text{0xC000'00CA, "STATUS_NETWORK_ACCESS_DENIED", ""},
    status_text{0xC000'00CB, "STATUS_BAD_DEVICE_TYPE", ""},
    status_text{0xC000'00CC, "STATUS_BAD_NETWORK_NAME", "no such share"},
    status_text{0xC000'00CE, "STATUS_TOO_MANY_SESSIONS", "the server takes no more sessions"},
    status_text{0xC000'00D0, "STATUS_REQUEST_NOT_ACCEPTED", "the server takes no more sessions"},
    status_text{0xC000'00D4, "STATUS_NOT_SAME_DEVICE",
                "source and target are on different file systems"},
    status_text{0xC000'00D9, "STATUS_PIPE_EMPTY", ""},
    status_text{0xC000'00DC, "STATUS_INVALID_SERVER_STATE", ""},
    status_text{0xC000'00DF, "STATUS_NO_SUCH_DOMAIN", ""},
    status_text{0xC000'00E2, "STATUS_OPLOCK_NOT_GRANTED", ""},
    status_text{0xC000'00E3, "STATUS_INVALID_OPLOCK_PROTOCOL",
                "no break of an oplock was under way"},
    status_text{0xC000'00E4, "STATUS_INTERNAL_DB_CORRUPTION", ""},
    status_text{0xC000'00E5, "STATUS_INTERNAL_ERROR", ""},
    status_text{0xC000'0101, "STATUS_DIRECTORY_NOT_EMPTY", "the directory is not empty"},
    status_text{0xC000'0103, "STATUS_NOT_A_DIRECTORY", "it is not a directory"},
    status_text{0xC000'0106, "STATUS_NAME_TOO_LONG", "the name is too long"},
    status_text{0xC000'011F, "STATUS_TOO_MANY_OPENED_FILES", "the server opens no more files"},
    status_text{0xC000'0120, "STATUS_CANCELLED", ""},
    status_text{0xC000'0121, "STATUS_CANNOT_DELETE", "it may not be deleted"},
    status_text{0xC000'0123, "STATUS_FILE_DELETED", ""},
    status_text{0xC000'0128, "STATUS_FILE_CLOSED", "the file handle is not open any more"},
    status_text{0xC000'0133, "STATUS_TIME_DIFFERENCE_AT_DC", "the clocks differ too much"},
    status_text{0xC000'014B, "STATUS_PIPE_BROKEN", ""},
    status_text{0xC000'015B, "STATUS_LOGON_TYPE_NOT_GRANTED", "the user may not use this server"},
    status_text{0xC000'0184, "STATUS_INVALID_DEVICE_STATE", ""},
    status_text{0xC000'018D, "STATUS_TRUSTED_RELATIONSHIP_FAILURE", ""},
    status_text{0xC000'0192, "STATUS_NETLOGON_NOT_STARTED", ""},
    status_text{0xC000'0193, "STATUS_ACCOUNT_EXPIRED", "the account has expired"},
    status_text{0xC000'0203, "STATUS_USER_SESSION_DELETED", "the server has ended the session"},
    status_text{0xC000'0205, "STATUS_INSUFF_SERVER_RESOURCES", "the server is out of resources"},
    status_text{0xC000'020C, "STATUS_CONNECTION_DISCONNECTED", ""},
    status_text{0xC000'020D, "STATUS_CONNECTION_RESET", ""},
    status_text{0xC000'0224, "STATUS_PASSWORD_MUST_CHANGE", "the password must be changed first"},
    status_text{0xC000'0225, "STATUS_NOT_FOUND", ""},
    status_text{0xC000'022A, "STATUS_DUPLICATE_OBJECTID", ""},
    status_text{0xC000'0234, "STATUS_ACCOUNT_LOCKED_OUT", "the account is locked"},
    status_text{0xC000'0236, "STATUS_CONNECTION_REFUSED", ""},
    status_text{0xC000'023A, "STATUS_CONNECTION_INVALID", ""},
    status_text{0xC000'0240, "STATUS_REQUEST_ABORTED", ""},
    status_text{0xC000'0257, "STATUS_PATH_NOT_COVERED", "the path is in another DFS server's part"},
    status_text{0xC000'0275, "STATUS_NOT_A_REPARSE_POINT", ""},
    status_text{0xC000'0276, "STATUS_IO_REPARSE_TAG_INVALID", ""},
    status_text{0xC000'0280, "STATUS_REPARSE_POINT_NOT_RESOLVED", ""},
    status_text{0xC000'035C, "STATUS_NETWORK_SESSION_EXPIRED", "the session has expired"},
    status_text{0xC000'0413, "STATUS_AUTHENTICATION_FIREWALL_FAILED", ""},
    status_text{0xC000'0418, "STATUS_NTLM_BLOCKED", "the server takes no NTLM"},
    status_text{0xC000'0463, "STATUS_DEVICE_FEATURE_NOT_SUPPORTED", ""},
    status_text{0xC000'0466, "STATUS_SERVER_UNAVAILABLE", ""},
    status_text{0xC000'0467, "STATUS_FILE_NOT_AVAILABLE",
                "not for now: what came before is still under way"},
    status_text{0xC000'A000, "STATUS_INVALID_SIGNATURE", "the server refuses our signature"},
    status_text{0xC05D'0000, "STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP", ""},
    status_text{0xC05D'0001, "STATUS_SMB_BAD_CLUSTER_DIALECT", ""},
};
static_assert(std::ranges::is_sorted(texts, {}, &status_text::code));

const status_text* find(u32 code) noexcept {
  const auto* at = std::ranges::lower_bound(texts, code, {}, &status_text::code);
  return at != texts.end() && at->code == code ? at : nullptr;
}

constexpr u16 session_setup_command = 0x01;
constexpr u16 read_command = 0x08;
constexpr u16 ioctl_command = 0x0B;
constexpr u16 change_notify_command = 0x0F;
constexpr u16 query_info_command = 0x10;

class ntstatus_category_type final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "ntstatus"; }

  [[nodiscard]] std::string message(int value) const override {
    return describe_status(static_cast<u32>(value));
  }

  [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<u32>(value)) {
    case status::object_name_not_found:
    case status::object_path_not_found:
    case status::no_such_file:
      return std::errc::no_such_file_or_directory;
    case status::object_name_collision:
      return std::errc::file_exists;
    case status::access_denied:
      return std::errc::permission_denied;
    case status::cancelled:
      return std::errc::operation_canceled;
    case status::not_supported:
      return std::errc::operation_not_supported;
    case status::not_a_directory:
      return std::errc::not_a_directory;
    case status::file_is_a_directory:
      return std::errc::is_a_directory;
    default:
      return {value, *this};
    }
  }
};

} // namespace

std::string name_of_status(u32 code) {
  if (const auto* text = find(code)) return std::string(text->name);
  return fmt::format("NTSTATUS 0x{:08X}", code);
}

std::string_view explain_status(u32 code) noexcept {
  const auto* text = find(code);
  return text ? text->meaning : std::string_view{};
}

std::string describe_status(u32 code) {
  const auto meaning = explain_status(code);
  return meaning.empty() ? name_of_status(code)
                         : fmt::format("{} ({})", name_of_status(code), meaning);
}

bool is_failure(u16 command, u32 code) noexcept {
  constexpr u32 severity_warning = 0x8000'0000;
  if (code < severity_warning) return false;
  if (code == status::buffer_overflow || code == status::no_more_files) return false;
  if (code == status::more_processing_required) return command != session_setup_command;
  if (code == status::end_of_file) return command != read_command;
  return true;
}

bool carries_response(u16 command, u32 code) noexcept {
  if (code == status::success) return true;
  switch (command) {
  case session_setup_command:
    return code == status::more_processing_required;
  case read_command:
  case ioctl_command:
  case query_info_command:
    return code == status::buffer_overflow;
  case change_notify_command:
    return code == status::notify_enum_dir || code == status::notify_cleanup;
  default:
    return false;
  }
}

const std::error_category& ntstatus_category() noexcept {
  static const ntstatus_category_type category;
  return category;
}

std::error_code make_status_error(u32 code) noexcept {
  return {static_cast<int>(code), ntstatus_category()};
}

} // namespace smb2
