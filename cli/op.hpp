#pragma once

#include "cli/op_arguments.hpp"
#include "cli/op_report.hpp"

#include "smb2/key_sink.hpp"

#include <fmt/format.h>

#include <expected>
#include <optional>

namespace cli {

/// What `wiretrip op` was asked to do.
struct op_request {
  std::string url;
  std::string operation;
  std::vector<std::string> arguments;
  std::vector<std::byte> input; ///< what --in gave
  unsigned repeat = 1;
  std::optional<std::string> password;
  smb2::key_sink* keys = nullptr; ///< told the keys of SMB sessions
};

/// What came of it. The exchanges were told to the report.
struct op_result {
  std::vector<std::byte> output; ///< for --out: file data, payloads
  std::string error;             ///< why it failed; empty: it did not
  bool usage = false;            ///< because of how it was called
};

/// What `--list` says of one operation.
struct op_help {
  std::string_view name;
  std::string_view help;
  std::string arguments;
  std::vector<std::string> choices;
};

/// What the protocols do alike with their operations, each of which has a name, a help, arguments,
/// and sends_input: of --in, and nothing without it.
template <class Operation>
[[nodiscard]] std::vector<op_help> help_of(const std::vector<Operation>& operations) {
  std::vector<op_help> out;
  for (const auto& op : operations)
    out.push_back({op.name, op.help, text_of(op.arguments), choices_of(op.arguments)});
  return out;
}

/// The arguments that the operation was given; else a sentence for whoever gave them.
template <class Operation>
[[nodiscard]] std::expected<op_arguments, std::string> arguments_for(const Operation& op,
                                                                     const op_request& asked) {
  auto given = op_arguments::parse(op.arguments, asked.arguments);
  if (!given) return std::unexpected(fmt::format("{}: {}", op.name, given.error()));
  if (op.sends_input && asked.input.empty())
    return std::unexpected(fmt::format("{}: what to send comes from --in FILE", op.name));
  return given;
}

/// It was called wrongly: nothing was done.
[[nodiscard]] op_result misused(std::string sentence);

/// A protocol of `wiretrip op`: its URL scheme picks it.
struct op_protocol {
  std::string_view scheme; ///< "smb://", "nfs://"
  op_names names;
  bool (*wants_password)(const std::string& url); ///< null: never
  std::vector<op_help> (*list)();
  op_result (*run)(const op_request& request, op_report& report);
};

[[nodiscard]] op_protocol smb2_operations();
[[nodiscard]] op_protocol nfs3_operations();

} // namespace cli
