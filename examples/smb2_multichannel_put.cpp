// smb2_multichannel_put LOCAL smb://USER@SERVER/SHARE/NAME CONNECTIONS: spreads the bytes of one
// file over several connections to all addresses that the server has. The password is in
// WIRETRIP_PASSWORD.

#include "smb2/multichannel.hpp"
#include "smb2/url.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

using asio::awaitable;

namespace {

awaitable<std::expected<void, smb2::error>> put(smb2::url to, std::vector<char> content,
                                                std::size_t connections) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto options = smb2::options_of(to, password == nullptr ? "" : password);
  auto first = co_await smb2::session::open(options);
  if (!first) co_return std::unexpected(first.error());
  auto where = co_await smb2::tree::connect(*first, to.share);
  if (!where) co_return std::unexpected(where.error());

  smb2::channel_options how;
  how.count = connections;
  auto all = co_await smb2::multichannel::over(*first, how);
  if (!all) co_return std::unexpected(all.error());
  for (std::size_t i = 0; i < all->size(); ++i)
    std::cerr << "channel " << i << ": " << all->channel(i).connection().server() << '\n';

  const auto to_write = smb2::open_options::to_write();
  auto out = co_await all->open(*where, to.path, to_write);
  if (!out) co_return std::unexpected(out.error());
  const auto data = std::as_bytes(std::span(content));
  auto written = co_await all->write(*out, 0, data);
  if (!written) co_return written;

  // All other work on the file goes over one channel that lives.
  auto last = all->through(*out);
  auto closed = co_await last.close();
  co_return closed;
}

} // namespace

int main(int argc, char** argv) {
  const int connections = argc == 4 ? std::atoi(argv[3]) : 0;
  if (connections < 1) {
    std::cerr << "usage: smb2_multichannel_put LOCAL smb://USER@SERVER/SHARE/NAME CONNECTIONS\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::vector<char> content(std::istreambuf_iterator<char>(in), {});
  const auto to = smb2::parse_url(argv[2]);
  if (!in.is_open() || !to) {
    std::cerr << (to ? std::string("cannot read ") + argv[1] : to.error()) << '\n';
    return 2;
  }
  asio::io_context io;
  const auto count = static_cast<std::size_t>(connections);
  const auto done = wire::net::run_to_end(io, put(*to, std::move(content), count));
  if (done) return 0;
  std::cerr << done.error().text << '\n';
  return 1;
}
