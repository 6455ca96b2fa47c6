#pragma once

#include "tests/unit/smb2/fake_server.hpp"

#include "smb2/file.hpp"

#include <gtest/gtest.h>

#include <random>

namespace smb2 {

using wire::net::run_to_end;

struct collecting_sink final : wire::exchange_sink {
  std::vector<wire::exchange> seen;
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }
};

inline std::vector<std::byte> pattern(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> out(size);
  for (auto& b : out)
    b = static_cast<std::byte>(random());
  return out;
}

class Smb2Client : public testing::Test {
 protected:
  Smb2Client() : server(io) {
    options.where.host = "127.0.0.1";
    options.where.port = server.port();
    options.who = auth_support::sample_user();
    options.dialect = dialect::smb_2_1;
    options.connection.timeout = std::chrono::seconds(2);
    options.connection.sink = &sink;
  }

  asio::io_context io;
  fake::server server;
  collecting_sink sink;
  session_options options;
};

using text_result = std::expected<std::string, error>;

inline std::string text_of(const text_result& r) {
  return r ? "worked: " + *r : r.error().text;
}

inline awaitable<std::expected<tree, error>> enter(session_options options) {
  auto opened = co_await session::open(std::move(options));
  if (!opened) co_return std::unexpected(opened.error());
  auto entered = co_await tree::connect(*opened, "share");
  co_return entered;
}

inline awaitable<text_result> open_only(session_options options, std::string path) {
  auto where = co_await enter(std::move(options));
  if (!where) co_return std::unexpected(where.error());
  auto in = co_await where->open(path, open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  co_return std::string("opened");
}

} // namespace smb2
