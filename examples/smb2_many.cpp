// Reads every file of a folder, all of them in flight at once on one connection.
//   WIRETRIP_PASSWORD=... smb2_many smb://user@server/share/folder
#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <cstdlib>
#include <fmt/core.h>

using wire::net::awaitable;
using nothing_or = std::expected<void, smb2::error>;

awaitable<nothing_or> read_one(smb2::tree& tree, std::string path, wire::u64& bytes) {
  const auto how = smb2::open_options::to_read();
  auto file = co_await tree.open(path, how);
  if (!file) co_return std::unexpected(file.error());
  std::vector<std::byte> data(file->facts().size);
  auto got = co_await file->read(0, data);
  if (got) bytes += *got;
  auto closed = co_await file->close();
  if (!got) co_return std::unexpected(got.error());
  co_return closed;
}

awaitable<nothing_or> read_all(smb2::url where, smb2::session_options options) {
  auto session = co_await smb2::session::open(std::move(options));
  if (!session) co_return std::unexpected(session.error());
  auto tree = co_await smb2::tree::connect(*session, where.share);
  if (!tree) co_return std::unexpected(tree.error());
  auto entries = co_await tree->list(where.path);
  if (!entries) co_return std::unexpected(entries.error());
  std::erase_if(*entries, [](const auto& entry) { return entry.facts.is_directory(); });

  // No thread and no lock: what waits for credits waits in the connection's queue.
  const auto executor = co_await asio::this_coro::executor;
  std::size_t left = entries->size(), failed = 0;
  wire::u64 bytes = 0;
  wire::net::signal finished;
  for (const auto& entry : *entries)
    asio::co_spawn(executor, read_one(*tree, where.path + "/" + entry.name, bytes),
                   [&](std::exception_ptr, nothing_or done) {
                     if (!done) ++failed, fmt::print(stderr, "{}\n", done.error().text);
                     if (--left == 0) finished.notify();
                   });
  if (left > 0) co_await finished.wait();
  fmt::print("{} files, {} failed, {} bytes; {} calls had to wait for credits\n", entries->size(),
             failed, bytes, session->connection().counters().credit_waits);
  co_return co_await session->logoff();
}

int main(int argc, char** argv) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto where = smb2::parse_url(argc == 2 ? argv[1] : "");
  if (!where) return fmt::print(stderr, "{}\n", where.error()), 2;
  asio::io_context io;
  auto options = smb2::options_of(*where, password == nullptr ? "" : password);
  const auto done = wire::net::run_to_end(io, read_all(*where, std::move(options)));
  if (!done) return fmt::print(stderr, "{}\n", done.error().text), 1;
}
