#pragma once

#include "smb2/le.hpp"

/// FSCTL_DFS_GET_REFERRALS: which servers have what stands below a path of a DFS namespace.
/// · bytes: strings are UTF-16 and end with a 0; a referral's offsets count from its own start.
/// · source: MS-DFSC 2.2.2, 2.2.4, 2.2.5
namespace smb2 {

/// Ours: referrals, and names of a domain's list, in one response.
inline constexpr std::size_t dfs_referrals_max = 4096;

/// REQ_GET_DFS_REFERRAL. Decoding drops the 0 at the end, encoding adds it.
struct dfs_referral_request {
  u16 max_referral_level = 4;
  utf16_view file_name; ///< "\server\share\path"
};

/// DFS_REFERRAL of version 1 to 4; what a version does not have is 0 or empty.
/// · units: time_to_live in seconds
struct dfs_referral {
  static constexpr u16 server_root = 1;    ///< server_type; 0: a link target
  static constexpr u16 name_list = 0x0002; ///< entry_flags: domain or DC names instead of paths
  static constexpr u16 target_set_boundary = 4; ///< entry_flags, version 4

  u16 version = 4;
  u16 server_type = 0;
  u16 entry_flags = 0;
  u32 proximity = 0; ///< version 2
  u32 time_to_live = 0;
  utf16_view dfs_path;
  utf16_view dfs_alternate_path;
  utf16_view network_address; ///< the target; of version 1 its share name
  guid service_site{};
  utf16_view special_name;                ///< of a name list
  std::vector<utf16_view> expanded_names; ///< of a name list

  [[nodiscard]] bool is_name_list() const noexcept {
    return version >= 3 && (entry_flags & name_list) != 0;
  }
};

/// RESP_GET_DFS_REFERRAL.
struct dfs_referral_response {
  static constexpr u32 referral_servers = 0x0000'0001;
  static constexpr u32 storage_servers = 0x0000'0002;
  static constexpr u32 target_failback = 0x0000'0004;

  u16 path_consumed = 0; ///< bytes of the request's path that the referrals stand for
  u32 header_flags = 0;
  std::vector<dfs_referral> referrals;
};

/// Errors: truncated, bad_value (a string without an end).
/// · lifetime: strings are views into `input`.
[[nodiscard]] std::expected<dfs_referral_request, wire::decode_error>
decode_dfs_request(bytes input);
[[nodiscard]] std::vector<std::byte> encode_dfs_request(const dfs_referral_request& request);

/// Errors: truncated, bad_offset, bad_value (a version that is none, a string without an end),
/// over_limit. · lifetime: strings are views into `output`.
[[nodiscard]] std::expected<dfs_referral_response, wire::decode_error>
decode_dfs_referrals(bytes output);
/// All referrals of a response have one version.
[[nodiscard]] std::vector<std::byte> encode_dfs_referrals(const dfs_referral_response& response);

} // namespace smb2
