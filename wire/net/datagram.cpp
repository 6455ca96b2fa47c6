#include "wire/net/datagram.hpp"

#include "wire/net/socket_options.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

namespace wire::net {

namespace {

using udp = asio::ip::udp;

std::error_code open_to(udp::socket& socket, const udp::endpoint& endpoint, bool reserved_port) {
  std::error_code error;
  if (socket.is_open()) socket.close(error);
  socket.open(endpoint.protocol(), error);
  if (error) return error;
  if (reserved_port) error = bind_reserved(socket, endpoint.protocol());
  if (!error) socket.connect(endpoint, error);
  return error;
}

} // namespace

datagram::datagram(udp::socket socket) : socket_(std::move(socket)) {
  std::error_code ignored; // a smaller buffer loses replies, which are then asked for again
  socket_.set_option(asio::socket_base::receive_buffer_size(4 << 20), ignored);
  socket_.set_option(asio::socket_base::send_buffer_size(1 << 20), ignored);
  socket_.non_blocking(true, ignored);
}

awaitable<std::expected<datagram, std::error_code>> datagram::connect(connect_options options) {
  auto executor = co_await asio::this_coro::executor;
  udp::resolver resolver(executor);
  const auto service = std::to_string(options.port);
  auto [failure, endpoints] = co_await resolver.async_resolve(
      options.host, service, udp::resolver::numeric_service, as_result);
  if (failure) co_return std::unexpected(standard(failure));
  udp::socket socket(executor);
  std::error_code error = asio::error::host_not_found;
  for (const auto& entry : endpoints) {
    error = open_to(socket, entry.endpoint(), options.reserved_port);
    if (!error) co_return datagram(std::move(socket));
  }
  co_return std::unexpected(standard(error));
}

stream::written datagram::write_some(const std::vector<asio::const_buffer>& pieces) {
  stream::written out;
  out.bytes = socket_.send(pieces, 0, out.error);
  if (out.error == asio::error::would_block || out.error == asio::error::try_again)
    out.error.clear();
  out.error = standard(out.error);
  return out;
}

awaitable<stream::received> datagram::read_some(std::span<std::byte> into) {
  auto [error, bytes] =
      co_await socket_.async_receive(asio::buffer(into.data(), into.size()), as_result);
  stream::received out;
  out.error = standard(error);
  out.bytes = bytes;
  co_return out;
}

awaitable<std::error_code> datagram::writable() {
  auto [error] = co_await socket_.async_wait(udp::socket::wait_write, as_result);
  co_return standard(error);
}

std::size_t datagram::unfragmented_bytes_max() {
  constexpr int unknown_mtu = 1500;
  constexpr int udp_header = 8;
  std::error_code error;
  const bool v6 = socket_.local_endpoint(error).address().is_v6();
  const int ip_header = v6 ? 40 : 20;
  int mtu = 0;
  socklen_t size = sizeof mtu;
  if (::getsockopt(socket_.native_handle(), v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_MTU : IP_MTU,
                   &mtu, &size) != 0 ||
      mtu <= ip_header + udp_header)
    mtu = unknown_mtu;
  return static_cast<std::size_t>(mtu - ip_header - udp_header);
}

void datagram::close() noexcept {
  std::error_code ignored;
  socket_.close(ignored);
}

} // namespace wire::net
