#pragma once

#include "cli/op.hpp"
#include "cli/op_smb2_payloads.hpp"

#include "smb2/file.hpp"
#include "smb2/le_print.hpp"
#include "smb2/url.hpp"

#include <fmt/format.h>

/// The way to an SMB2 operation of `wiretrip op` and back: session, tree, file.
namespace cli::op_smb2 {

using smb2::awaitable;
using smb2::bytes;
using smb2::error;
using smb2::fileid;
using smb2::u16;
using smb2::u32;
using smb2::u64;
using smb2::u8;
using step = std::expected<void, error>;

/// What must be there before an operation can be issued; each of them takes those above it.
enum class needs : u8 { nothing, session, tree, file };

/// One `wiretrip op smb://…`: what is open, and what the operation was given.
struct context {
  const op_request& asked;
  smb2::url url;
  op_arguments arguments;
  op_report& report;
  op_result& result;
  std::optional<smb2::session> session;
  std::optional<smb2::tree> tree;
  std::optional<fileid> file;

  [[nodiscard]] u32 number(std::string_view name) const {
    return static_cast<u32>(arguments.number(name));
  }
  [[nodiscard]] std::string what(std::string_view command) const {
    return fmt::format("{} {}", command, url.path.empty() ? url.share : url.path);
  }
};

/// Opens what is not open yet; `access` is of the file. Repetitions share it.
[[nodiscard]] awaitable<step> prepare(context& c, needs before, u32 access);
[[nodiscard]] awaitable<step> open_session(context& c);
[[nodiscard]] awaitable<step> open_tree(context& c);
/// The path of the URL; its name and the sharing of it are filled in here.
[[nodiscard]] awaitable<step> create_file(context& c, smb2::create::request request);
[[nodiscard]] awaitable<step> close_file(context& c, u16 flags);
[[nodiscard]] awaitable<step> log_off(context& c);
/// Ends what is open, as far as the server still answers.
[[nodiscard]] awaitable<step> leave(context& c);

/// Issues one command and tells what was in it. A status that says failure is an error.
template <class Command>
awaitable<std::expected<smb2::reply<Command>, error>>
issue(context& c, const typename Command::request& request, smb2::nanos timeout = {}) {
  auto options = c.session->state()->call(0);
  if (c.tree) options = c.tree->state()->options;
  options.timeout = timeout;
  auto got = co_await c.session->connection().call<Command>(request, options);
  c.report.detail("request", smb2::print(request));
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (smb2::carries_response(Command::number, got->status))
    c.report.detail("response", smb2::print(got->message));
  if (smb2::is_failure(Command::number, got->status))
    co_return std::unexpected(smb2::detail::status_error(c.what(Command::name), got->status));
  co_return std::move(*got);
}

/// Issues it for the sake of its exchange.
template <class Command>
awaitable<step> just(context& c, const typename Command::request& request) {
  auto got = co_await issue<Command>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  co_return step{};
}

} // namespace cli::op_smb2
