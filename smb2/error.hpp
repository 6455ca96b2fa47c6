#pragma once

#include "wire/bytes.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace smb2 {

/// Why something did not work, apart from what the server's NTSTATUS says (ntstatus_category).
enum class errc : int {
  timed_out = 1,
  cancelled,
  connection_lost, ///< the request was never sent
  outcome_unknown, ///< it was sent, and the connection lost before the answer: done, or not
  bad_response,    ///< it cannot be decoded, or says what it may not
  bad_signature,
  no_credits, ///< the server does not grant what the call costs
  too_long,   ///< a message, a name or a token is longer than the protocol takes
  too_many_calls,
  bad_name,    ///< not valid UTF-8
  not_secure,  ///< what was agreed on is not what we ask for: signing, or a downgrade
  unsupported, ///< wiretrip does not do this
  other_file,  ///< what was opened again is not the file that the lost connection had open
};

[[nodiscard]] const std::error_category& category() noexcept;
[[nodiscard]] std::error_code make_error_code(errc code) noexcept;

/// What went wrong, for programs and for people. `text` is a sentence that says what was tried,
/// with which server, and what came back.
struct error {
  std::error_code code;
  std::string text;
};

} // namespace smb2

template <>
struct std::is_error_code_enum<smb2::errc> : std::true_type {};
