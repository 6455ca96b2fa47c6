#pragma once

#include "smb2/dcerpc.hpp"

#include <string>
#include <string_view>

/// NetShareEnum of the Server Service, level 1. · source: MS-SRVS 2.2.4.23, 3.1.4.8
namespace smb2::srvsvc {

[[nodiscard]] const dcerpc::syntax& interface() noexcept;
inline constexpr std::string_view pipe_name = "srvsvc";
inline constexpr u16 net_share_enum = 15;

/// SHARE_INFO_1.
struct share {
  static constexpr u32 disk = 0;
  static constexpr u32 printer = 1;
  static constexpr u32 ipc = 3;
  static constexpr u32 special = 0x8000'0000; ///< with one of those: for administration

  std::string name;
  u32 type = disk;
  std::string remark;

  friend bool operator==(const share&, const share&) = default;
};

struct share_list {
  std::vector<share> shares;
  u32 total = 0;
  u32 status = 0; ///< WERROR; 234: there are more
};

/// The stub of the request: all shares of `server` ("\\198.18.1.2"), in one answer.
[[nodiscard]] std::vector<std::byte> encode_share_enum(std::string_view server);

/// The stub of the response. Errors: truncated, over_limit, bad_value.
[[nodiscard]] std::expected<share_list, wire::decode_error> decode_share_enum(bytes stub);

} // namespace smb2::srvsvc
