#include "wire/net/stream.hpp"

#include "wire/net/socket_options.hpp"
#include "wire/net/tcp_info.hpp"

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>

#include <fmt/format.h>
#include <variant>

namespace wire::net {

namespace {

using tcp = asio::ip::tcp;

awaitable<std::error_code> connect_to(tcp::socket& socket, tcp::endpoint endpoint,
                                      bool reserved_port) {
  std::error_code error;
  if (socket.is_open()) socket.close(error);
  socket.open(endpoint.protocol(), error);
  if (error) co_return error;
  if (reserved_port) {
    error = bind_reserved(socket, endpoint.protocol());
    if (error) co_return error;
  }
  auto [failure] = co_await socket.async_connect(endpoint, as_result);
  co_return failure;
}

awaitable<std::error_code> connect_any(tcp::socket& socket, tcp::resolver::results_type endpoints,
                                       bool reserved_port) {
  std::error_code error = asio::error::host_not_found;
  for (const auto& entry : endpoints) {
    const auto endpoint = entry.endpoint();
    error = co_await connect_to(socket, endpoint, reserved_port);
    if (!error) break;
  }
  co_return error;
}

} // namespace

stream::stream(tcp::socket socket) : socket_(std::move(socket)) {
  std::error_code ignored; // a socket that died already says so at its first read
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

awaitable<std::expected<stream, std::error_code>> stream::connect(connect_options options) {
  using namespace asio::experimental::awaitable_operators;
  auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto service = std::to_string(options.port);
  auto [failure, endpoints] = co_await resolver.async_resolve(
      options.host, service, tcp::resolver::numeric_service, as_result);
  if (failure) co_return std::unexpected(standard(failure));

  tcp::socket socket(executor);
  asio::steady_timer timer(executor, options.timeout);
  auto first = co_await (connect_any(socket, endpoints, options.reserved_port) ||
                         timer.async_wait(as_result));
  if (first.index() == 1) co_return std::unexpected(std::make_error_code(std::errc::timed_out));
  const auto error = std::get<0>(first);
  if (error) co_return std::unexpected(standard(error));
  co_return stream(std::move(socket));
}

stream::written stream::write_some(const std::vector<asio::const_buffer>& pieces) {
  written out;
  out.bytes = socket_.write_some(pieces, out.error);
  if (out.error == asio::error::would_block || out.error == asio::error::try_again)
    out.error.clear();
  out.error = standard(out.error);
  return out;
}

awaitable<stream::received> stream::read_some(std::span<std::byte> into) {
  auto [error, bytes] =
      co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), as_result);
  received out;
  out.error = standard(error);
  out.bytes = bytes;
  co_return out;
}

stream::received stream::read_now(std::span<std::byte> into) {
  received out;
  out.bytes = socket_.read_some(asio::buffer(into.data(), into.size()), out.error);
  if (out.error == asio::error::would_block || out.error == asio::error::try_again)
    out.error.clear();
  out.error = standard(out.error);
  return out;
}

awaitable<std::error_code> stream::readable() {
  auto [error] = co_await socket_.async_wait(tcp::socket::wait_read, as_result);
  co_return standard(error);
}

awaitable<std::error_code> stream::writable() {
  auto [error] = co_await socket_.async_wait(tcp::socket::wait_write, as_result);
  co_return standard(error);
}

std::optional<nanos> stream::round_trip_min() {
  return tcp_round_trip_min(socket_.native_handle());
}

void stream::close() noexcept {
  std::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

std::string text_of(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

} // namespace wire::net
