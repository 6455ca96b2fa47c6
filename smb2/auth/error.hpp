#pragma once

#include <system_error>

namespace smb2::auth {

enum class errc {
  ok,
  malformed_token,     ///< the server's token does not decode
  unexpected_token,    ///< a token at a point of the exchange where none may come
  no_common_mechanism, ///< the server offers none of ours, or chose one that we did not offer
  rejected,            ///< the server said reject
  weak_challenge,      ///< the server cannot do NTLMv2 with a session key
  wrong_mic,           ///< mechListMIC does not fit: the mechanisms were tampered with
  missing_mic,         ///< the server left mechListMIC out where it may not
  no_user,             ///< neither a user nor the wish to be anonymous
  not_utf8,            ///< user, domain, password or server name
  too_long,            ///< a name that its field cannot hold
  kerberos,            ///< what GSSAPI said; the mechanism has an explanation
};

[[nodiscard]] const std::error_category& auth_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), auth_category()};
}

} // namespace smb2::auth

template <>
struct std::is_error_code_enum<smb2::auth::errc> : std::true_type {};
