#pragma once

#include "smb2/session.hpp"

#include <string_view>

namespace smb2 {

/// smb://[domain;]user@server[:port]/share[/path]?dialect=&sign=&seal=&compress=&sec=&channels=
///   dialect  3.1.1, or those that may be chosen: 2.1,3.0.2
///   sign     auto | required | off | hmac-sha256 | aes-cmac | aes-gmac
///   seal     auto | required | off | aes-128-ccm | aes-128-gcm | aes-256-ccm | aes-256-gcm
///   compress off | auto | lznt1 | lz77 | lz77-huffman | lz4
///   sec      ntlm | krb5 | guest | anonymous
/// A named algorithm or cipher is required; of compression it is offered alone.
struct url {
  std::string host; ///< name or address, IPv6 without its brackets
  u16 port = 0;     ///< 0: not given
  std::string domain;
  std::string user; ///< empty: not given
  std::string share;
  std::string path; ///< in the share; may be empty
  std::optional<smb2::dialect> dialect;
  std::vector<smb2::dialect> dialects; ///< when there are several
  login sec = login::ntlm;
  signing_policy sign = signing_policy::automatic;
  std::vector<signing_algorithm> signing_algorithms; ///< sign=aes-cmac and the like
  sealing_policy seal = sealing_policy::automatic;
  std::vector<cipher> ciphers;                    ///< seal=aes-256-gcm and the like
  std::vector<compression_algorithm> compression; ///< that the server may use
};

/// Errors are sentences that name the part of the URL, what was found and what may stand there;
/// options that contradict each other and those whose part is not built yet are refused. A password
/// in the URL is refused too.
[[nodiscard]] std::expected<url, std::string> parse_url(std::string_view text);

/// Whether a password is wanted: not so with tickets, nor for a guest and nobody.
[[nodiscard]] bool needs_password(const url& of) noexcept;

/// How to open a session with it. Of sec=krb5 session_options::kerberos is left to be set.
[[nodiscard]] session_options options_of(const url& from, std::string password);

} // namespace smb2
