#pragma once

#include "smb2/types.hpp"

#include <expected>
#include <string>
#include <system_error>
#include <vector>

namespace smb2::auth {

using token = std::vector<std::byte>;
using token_result = std::expected<token, std::error_code>;

/// The client's side of authentication as SESSION_SETUP sees it: the server's token goes in, the
/// next one comes out. Knows no socket and no clock; belongs to one strand, serves one session.
/// NTLM and what GSSAPI makes (Kerberos) implement it inside SPNEGO.
class authenticator {
 public:
  virtual ~authenticator() = default;

  /// First with the SecurityBuffer of the NEGOTIATE response (it may be empty), then with that of
  /// each SESSION_SETUP response, the last one included. Gives the SecurityBuffer of the next
  /// SESSION_SETUP request; empty when the server needs no more.
  [[nodiscard]] virtual token_result step(bytes from_server) = 0;

  /// The server's last token was taken and found good.
  [[nodiscard]] virtual bool done() const noexcept = 0;

  /// What the last step's error code cannot say: a sentence; mostly empty.
  [[nodiscard]] virtual std::string explanation() const { return {}; }

  /// What the keys of the session derive from; empty until the mechanism has it. It is there before
  /// done(), because the response that bears the last token is signed with it.
  [[nodiscard]] virtual bytes session_key() const noexcept = 0;
};

/// One mechanism inside SPNEGO.
class mechanism {
 public:
  virtual ~mechanism() = default;

  /// The DER of its OBJECT IDENTIFIER without tag and length; lives for ever.
  [[nodiscard]] virtual bytes oid() const noexcept = 0;

  /// An empty token starts it.
  [[nodiscard]] virtual token_result step(bytes from_server) = 0;

  /// As authenticator has it.
  [[nodiscard]] virtual std::string explanation() const { return {}; }

  /// Needs no further token of the server's.
  [[nodiscard]] virtual bool complete() const noexcept = 0;

  [[nodiscard]] virtual bytes session_key() const noexcept = 0;

  /// Whether it can sign: not so for an anonymous user.
  [[nodiscard]] virtual bool has_integrity() const noexcept = 0;

  /// GSS_GetMIC and GSS_VerifyMIC, once complete.
  [[nodiscard]] virtual token sign(bytes message) = 0;
  [[nodiscard]] virtual bool verify(bytes message, bytes mic) = 0;
};

} // namespace smb2::auth
