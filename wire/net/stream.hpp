#pragma once

#include "wire/bytes.hpp"
#include "wire/net/async.hpp"

#include <asio/ip/tcp.hpp>

#include <expected>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace wire::net {

/// Where to connect, and how.
struct connect_options {
  std::string host; ///< name or address, IPv4 or IPv6
  u16 port = 0;
  nanos timeout = std::chrono::seconds(10);
  bool reserved_port = false; ///< bind a source port below 1024 (NFS exports marked secure)
};

/// A connected TCP socket with TCP_NODELAY, non-blocking.
class stream {
 public:
  explicit stream(asio::ip::tcp::socket socket);

  /// Tries each address of the host in turn. Errors: the resolver's and the last connect's (they
  /// compare with std::errc); a deadline
  /// gives std::errc::timed_out.
  [[nodiscard]] static awaitable<std::expected<stream, std::error_code>>
  connect(connect_options options);

  [[nodiscard]] asio::ip::tcp::socket& socket() noexcept { return socket_; }

  struct written {
    std::size_t bytes = 0;
    std::error_code error; ///< would_block is not an error: fewer bytes were taken
  };
  /// One gathered write of as much as the kernel takes now.
  [[nodiscard]] written write_some(const std::vector<asio::const_buffer>& pieces);

  struct received {
    std::error_code error; ///< asio::error::eof when the peer has closed
    std::size_t bytes = 0;
  };
  [[nodiscard]] awaitable<received> read_some(std::span<std::byte> into);

  /// What is there now; no bytes and no error: nothing is.
  [[nodiscard]] received read_now(std::span<std::byte> into);

  /// Completes when there are bytes to be read.
  [[nodiscard]] awaitable<std::error_code> readable();
  /// Completes when the socket takes bytes again.
  [[nodiscard]] awaitable<std::error_code> writable();

  /// The smallest round trip that the kernel has measured on the connection (TCP_INFO).
  [[nodiscard]] std::optional<nanos> round_trip_min();

  void close() noexcept;

 private:
  asio::ip::tcp::socket socket_;
};

/// "198.18.2.2:2049" or "[fd00::2]:445"
[[nodiscard]] std::string text_of(const asio::ip::tcp::endpoint& endpoint);

} // namespace wire::net
