#pragma once

#include "wire/bytes.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace rpc {

/// Why a call gave no reply of its operation. A status in a reply (NFS3ERR_NOENT) is none of these.
enum class errc : int {
  timed_out = 1,
  cancelled,
  connection_lost,
  refused,       ///< by the RPC layer of the server: wrong version, weak credential…
  bad_reply,     ///< it cannot be decoded
  bad_arguments, ///< a name or a list is over its limit: nothing was sent
  too_many_calls,
  not_registered, ///< rpcbind does not know the program
  unsupported,    ///< wiretrip does not do this
  no_context,     ///< RPCSEC_GSS: no ticket, or a server that does not take it; nothing was sent
  wrong_verifier, ///< RPCSEC_GSS: the reply is not the server's, or not to this call
  wrong_checksum, ///< RPCSEC_GSS: the results were changed on their way
  wrong_sequence, ///< RPCSEC_GSS: the results are those of another call
  cannot_unwrap,  ///< RPCSEC_GSS: the sealed results were changed on their way
};

[[nodiscard]] const std::error_category& category() noexcept;
[[nodiscard]] std::error_code make_error_code(errc code) noexcept;

/// What went wrong, for programs and for people. `text` is a sentence that says what was tried,
/// with which server, and what came back.
struct error {
  std::error_code code;
  std::string text;
};

} // namespace rpc

template <>
struct std::is_error_code_enum<rpc::errc> : std::true_type {};
