// Reads a file and tells when each exchange passed each point.
//   WIRETRIP_PASSWORD=... smb2_read smb://user@server/share/path >copy
#include "smb2/file.hpp"
#include "smb2/url.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>

using wire::net::awaitable;
using nothing_or = std::expected<void, smb2::error>;

double us(wire::nanos from, wire::nanos to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

/// Sees each exchange as it ends; all times are of one clock.
struct timings final : wire::exchange_sink {
  void on_exchange(const wire::exchange& e) override {
    fmt::print(stderr, "{:<16} {:<32} queue {:8.1f} us  answer {:8.1f} us  {} bytes\n",
               smb2::commands::name(e.operation), smb2::name_of_status(e.status),
               us(e.t.submitted, e.t.granted), us(e.t.q1, e.t.r0), e.data_bytes);
  }
};

awaitable<nothing_or> read_it(smb2::url where, smb2::session_options options) {
  auto session = co_await smb2::session::open(std::move(options));
  if (!session) co_return std::unexpected(session.error());
  auto tree = co_await smb2::tree::connect(*session, where.share);
  if (!tree) co_return std::unexpected(tree.error());
  const auto how = smb2::open_options::to_read();
  auto file = co_await tree->open(where.path, how);
  if (!file) co_return std::unexpected(file.error());

  smb2::chunk_taker to_stdout = [](smb2::bytes data) {
    return std::fwrite(data.data(), 1, data.size(), stdout) == data.size();
  };
  auto got = co_await file->read_stream(0, file->facts().size, std::move(to_stdout));
  if (!got) co_return std::unexpected(got.error());
  auto closed = co_await file->close();
  if (!closed) co_return closed;
  co_return co_await session->logoff();
}

int main(int argc, char** argv) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto where = smb2::parse_url(argc == 2 ? argv[1] : "");
  if (!where) return fmt::print(stderr, "{}\n", where.error()), 2;
  timings sink;
  auto options = smb2::options_of(*where, password == nullptr ? "" : password);
  options.connection.sink = &sink;
  asio::io_context io;
  const auto done = wire::net::run_to_end(io, read_it(*where, std::move(options)));
  if (!done) return fmt::print(stderr, "{}\n", done.error().text), 1;
}
