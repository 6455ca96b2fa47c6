#pragma once

#include "wire/bytes.hpp"

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rpc {

/// The client's side of one security context, as RPCSEC_GSS uses GSSAPI. Knows no socket; belongs
/// to one strand. rpc/gss_krb5.hpp has the one for Kerberos, tests have others.
class gss_mechanism {
 public:
  using token = std::vector<std::byte>;

  virtual ~gss_mechanism() = default;

  /// GSS_Init_sec_context: an empty token starts it. Gives the token for the server, empty when it
  /// needs none; the error is a sentence.
  [[nodiscard]] virtual std::expected<token, std::string> step(wire::bytes from_server) = 0;

  /// Needs no further token of the server's; what follows may be used.
  [[nodiscard]] virtual bool complete() const noexcept = 0;

  /// GSS_GetMIC of the pieces joined; empty when the context has expired.
  [[nodiscard]] virtual token sign(std::span<const wire::bytes> message) = 0;
  [[nodiscard]] virtual bool verify(wire::bytes message, wire::bytes mic) = 0;

  /// GSS_Wrap, with encryption, of the pieces joined; empty when the context has expired.
  [[nodiscard]] virtual token seal(std::span<const wire::bytes> message) = 0;

  /// GSS_Unwrap in place: what was sealed, as a view into `sealed`. Nothing when it was changed on
  /// the way, or was not encrypted.
  [[nodiscard]] virtual std::optional<wire::bytes> open(token& sealed) = 0;
};

/// Makes a mechanism for a context to one server; the error is a sentence. Asked again for each new
/// context, so that it takes the tickets that there are by then.
using gss_source = std::function<std::expected<std::unique_ptr<gss_mechanism>, std::string>()>;

/// Makes the source for a server's name: how a client library is given Kerberos without linking it.
using gss_source_of_server = std::function<gss_source(const std::string& server)>;

} // namespace rpc
