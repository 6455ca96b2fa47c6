#pragma once

#include "wire/net/stream.hpp"

#include <asio/ip/udp.hpp>

namespace wire::net {

/// A UDP socket that is connected to one server, non-blocking: what wire::net::stream is for TCP,
/// except that each write is one datagram and each read gives one.
class datagram {
 public:
  explicit datagram(asio::ip::udp::socket socket);

  /// The first address of the host that has a route; nothing is sent yet. Errors: as stream has
  /// them.
  [[nodiscard]] static awaitable<std::expected<datagram, std::error_code>>
  connect(connect_options options);

  [[nodiscard]] asio::ip::udp::socket& socket() noexcept { return socket_; }
  [[nodiscard]] stream::written write_some(const std::vector<asio::const_buffer>& pieces);
  /// Errors: connection_refused when nobody listens there (ICMP).
  [[nodiscard]] awaitable<stream::received> read_some(std::span<std::byte> into);
  [[nodiscard]] awaitable<std::error_code> writable();

  /// The kernel measures none for UDP.
  [[nodiscard]] std::optional<nanos> round_trip_min() const noexcept { return std::nullopt; }

  /// The largest message that goes to the server in one piece, by the MTU of the route.
  [[nodiscard]] std::size_t unfragmented_bytes_max();

  void close() noexcept;

 private:
  asio::ip::udp::socket socket_;
};

} // namespace wire::net
