#include "cli/op_smb2_session.hpp"

#include "cli/op_smb2_contexts.hpp"
#include "smb2/auth/kerberos_client.hpp"

namespace cli::op_smb2 {

awaitable<step> create_file(context& c, smb2::create::request request) {
  const auto name = smb2::detail::share_path(c.url.path);
  if (!name) co_return std::unexpected(name.error());
  request.name = name->view();
  request.share_access = smb2::share_access::all;
  auto got = co_await issue<smb2::create>(c, request);
  if (!got) co_return std::unexpected(std::move(got.error()));
  c.file = got->message.file;
  for (const auto& one : print_contexts(got->message.contexts))
    c.report.detail("context", one);
  co_return step{};
}

awaitable<step> open_session(context& c) {
  auto options = smb2::options_of(c.url, c.asked.password.value_or(""));
  options.kerberos = smb2::auth::kerberos_source();
  options.keys = c.asked.keys;
  options.connection.sink = &c.report;
  auto opened = co_await smb2::session::open(std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  c.session.emplace(std::move(*opened));
  co_return step{};
}

awaitable<step> open_tree(context& c) {
  auto entered = co_await smb2::tree::connect(*c.session, c.url.share);
  if (!entered) co_return std::unexpected(std::move(entered.error()));
  c.tree.emplace(std::move(*entered));
  co_return step{};
}

awaitable<step> prepare(context& c, needs before, u32 access) {
  step done;
  if (before >= needs::session && !c.session) done = co_await open_session(c);
  if (done && before >= needs::tree && !c.tree) done = co_await open_tree(c);
  if (!done || before < needs::file || c.file) co_return done;
  smb2::create::request request;
  request.desired_access = access;
  done = co_await create_file(c, request);
  co_return done;
}

awaitable<step> close_file(context& c, u16 flags) {
  smb2::close::request request;
  request.flags = flags;
  request.file = *c.file;
  c.file.reset();
  auto done = co_await just<smb2::close>(c, request);
  co_return done;
}

awaitable<step> log_off(context& c) {
  c.file.reset();
  c.tree.reset();
  auto done = co_await c.session->logoff();
  c.session.reset();
  co_return done;
}

awaitable<step> leave(context& c) {
  step done;
  if (!c.session || c.session->connection().closed()) co_return done;
  if (c.file) done = co_await close_file(c, 0);
  auto ended = co_await log_off(c);
  if (done) done = std::move(ended);
  co_return done;
}

} // namespace cli::op_smb2
