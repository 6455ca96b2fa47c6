#pragma once

#include "smb2/session.hpp"

#include <string_view>

namespace smb2 {

/// smb://[domain;]user@server[:port]/share[/path]?dialect=&sign=&seal=&sec=&channels=
struct url {
  std::string host; ///< name or address, IPv6 without its brackets
  u16 port = 0;     ///< 0: not given
  std::string domain;
  std::string user; ///< empty: not given
  std::string share;
  std::string path; ///< in the share; may be empty
  std::optional<smb2::dialect> dialect;
  signing_policy sign = signing_policy::automatic;
  std::vector<signing_algorithm> signing_algorithms; ///< sign=aes-cmac and the like
};

/// Errors are sentences that name the part of the URL, what was found and what may stand there;
/// options whose part is not built yet are refused. A password in the URL is refused too.
[[nodiscard]] std::expected<url, std::string> parse_url(std::string_view text);

/// How to open a session with it.
[[nodiscard]] session_options options_of(const url& from, std::string password);

} // namespace smb2
