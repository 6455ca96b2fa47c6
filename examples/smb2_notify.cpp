// Tells what changes in a folder, until nothing has for ten seconds.
//   WIRETRIP_PASSWORD=... smb2_notify smb://user@server/share/folder
#include "smb2/notify.hpp"
#include "smb2/url.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>

using wire::net::awaitable;
using nothing_or = std::expected<void, smb2::error>;

awaitable<nothing_or> watch(smb2::url where, smb2::session_options options) {
  auto session = co_await smb2::session::open(std::move(options));
  if (!session) co_return std::unexpected(session.error());
  auto tree = co_await smb2::tree::connect(*session, where.share);
  if (!tree) co_return std::unexpected(tree.error());
  smb2::open_options how;
  how.create_options = smb2::create_option::directory_file;
  auto folder = co_await tree->open(where.path, how);
  if (!folder) co_return std::unexpected(folder.error());

  smb2::notify_options wanted;
  wanted.watch_tree = true;
  wanted.timeout = std::chrono::seconds(10);
  for (;;) {
    auto got = co_await smb2::wait_for_changes(*folder, wanted);
    if (!got && got.error().code == smb2::errc::timed_out) break;
    if (!got) co_return std::unexpected(got.error());
    for (const auto& change : got->changes)
      fmt::print("action {} {}\n", change.action, change.name);
    if (got->rescan) fmt::print("more than the server could tell: list the folder\n");
    std::fflush(stdout);
    if (got->closed) break;
  }
  co_return co_await session->logoff();
}

int main(int argc, char** argv) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto where = smb2::parse_url(argc == 2 ? argv[1] : "");
  if (!where) return fmt::print(stderr, "{}\n", where.error()), 2;
  asio::io_context io;
  auto options = smb2::options_of(*where, password == nullptr ? "" : password);
  const auto done = wire::net::run_to_end(io, watch(*where, std::move(options)));
  if (!done) return fmt::print(stderr, "{}\n", done.error().text), 1;
}
