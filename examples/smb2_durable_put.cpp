// smb2_durable_put LOCAL smb://USER@SERVER/SHARE/NAME: writes a file that survives its connection.
// Pull the cable, restart the network: it goes on. When the server itself dies, it says which bytes
// are there. The password is in WIRETRIP_PASSWORD.

#include "smb2/durable.hpp"
#include "smb2/url.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

using asio::awaitable;

namespace {

awaitable<std::expected<void, smb2::error>> put(smb2::url to, std::vector<char> content) {
  const char* password = std::getenv("WIRETRIP_PASSWORD");
  auto options = smb2::options_of(to, password == nullptr ? "" : password);
  // A server that says nothing for so long is asked whether it lives.
  options.connection.quiet = std::chrono::seconds(5);
  options.connection.echo_timeout = std::chrono::seconds(5);

  const auto how = smb2::open_options::to_write();
  auto out = co_await smb2::durable_file::open(options, to.share, to.path, how);
  if (!out) co_return std::unexpected(out.error());

  smb2::transfer_report report;
  smb2::transfer_options transfer;
  transfer.report = &report;
  const auto data = std::as_bytes(std::span(content));
  auto written = co_await out->write(0, data, transfer);
  if (!written) co_return written; // its text and `report` say what is there and what is unknown

  auto flushed = co_await out->flush();
  if (!flushed) co_return flushed;
  std::cerr << content.size() << " bytes; connections lost: " << out->counters().lost << '\n';
  auto closed = co_await out->close();
  co_return closed;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: smb2_durable_put LOCAL smb://USER@SERVER/SHARE/NAME\n";
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
  const auto done = wire::net::run_to_end(io, put(*to, std::move(content)));
  if (done) return 0;
  std::cerr << done.error().text << '\n';
  return 1;
}
