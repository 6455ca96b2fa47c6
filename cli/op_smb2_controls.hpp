#pragma once

#include "cli/op_smb2_payloads.hpp"

#include "smb2/session.hpp"

namespace cli {

/// What the input of a control may be made of when --in gives none.
struct control_question {
  const smb2::detail::session_state& session;
  std::string value; ///< of the argument
};

/// A control code of IOCTL, how to print its output, and how to make its input.
struct control_entry {
  std::string_view name;
  smb2::u32 code;
  info_printer print;
  std::string_view takes; ///< what `value` is; empty: none
  std::expected<std::vector<std::byte>, std::string> (*input)(const control_question& q);
};

[[nodiscard]] std::span<const control_entry> controls();

} // namespace cli
