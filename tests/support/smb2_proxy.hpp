#pragma once

#include "smb2/direct_tcp.hpp"
#include "wire/framer.hpp"
#include "wire/net/async.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

/// Somebody between an SMB2 client and its server.
namespace support {

using frame_bytes = std::vector<std::byte>; ///< without its direct-TCP prefix

/// What the proxy does with a frame that came by. It starts as "nothing but pass it on".
struct passing {
  std::vector<frame_bytes> onward; ///< to whom the frame was for; at first the frame itself
  std::vector<frame_bytes> back;   ///< to whom it came from
  bool close = false;              ///< both connections, when that is sent
};

/// Listens on the loopback, and gives each connection one of its own to the server. Runs on the
/// context of the test; must outlive what runs there.
class smb2_proxy {
 public:
  using tcp = asio::ip::tcp;

  smb2_proxy(asio::io_context& io, tcp::endpoint server)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), server_(server) {
    asio::co_spawn(io, accept(*this), [](std::exception_ptr) {});
  }
  smb2_proxy(const smb2_proxy&) = delete;
  smb2_proxy& operator=(const smb2_proxy&) = delete;

  [[nodiscard]] wire::u16 port() const { return acceptor_.local_endpoint().port(); }

  std::function<void(passing&)> from_client;
  std::function<void(passing&)> from_server;

 private:
  /// One side of a connection; frames go out in the order in which they were given.
  struct side {
    explicit side(tcp::socket s) : socket(std::move(s)) {}

    tcp::socket socket;
    std::deque<frame_bytes> outgoing; ///< with their prefixes
    bool writing = false;
    bool closing = false;
  };

  struct link {
    side client;
    side server;
  };

  static wire::net::awaitable<void> accept(smb2_proxy& self) {
    while (true) {
      auto [error, client] = co_await self.acceptor_.async_accept(wire::net::as_result);
      if (error) co_return;
      const auto executor = self.acceptor_.get_executor();
      tcp::socket server(executor);
      auto [refused] = co_await server.async_connect(self.server_, wire::net::as_result);
      if (refused) continue;
      auto both = std::shared_ptr<link>(new link{side(std::move(client)), side(std::move(server))});
      asio::co_spawn(executor, relay(self, both, true), [](std::exception_ptr) {});
      asio::co_spawn(executor, relay(self, both, false), [](std::exception_ptr) {});
    }
  }

  static wire::net::awaitable<void> relay(smb2_proxy& self, std::shared_ptr<link> both,
                                          bool from_client) {
    auto& from = from_client ? both->client : both->server;
    auto& to = from_client ? both->server : both->client;
    wire::framer<smb2::direct_tcp> framer(smb2::message_bytes_max);
    frame_bytes buffer(1 << 18);
    while (true) {
      auto [error, n] =
          co_await from.socket.async_read_some(asio::buffer(buffer), wire::net::as_result);
      if (error) break;
      framer.feed(wire::bytes(buffer).first(n), {});
      while (const auto frame = framer.next()) {
        passing what;
        what.onward.emplace_back(frame->data.begin(), frame->data.end());
        const auto& look = from_client ? self.from_client : self.from_server;
        if (look) look(what);
        for (auto& one : what.onward)
          send(both, to, std::move(one));
        for (auto& one : what.back)
          send(both, from, std::move(one));
        if (what.close) close(both, from);
        if (what.close) close(both, to);
      }
    }
    close(both, to);
  }

  static void send(const std::shared_ptr<link>& both, side& to, frame_bytes message) {
    std::array<std::byte, 4> prefix;
    wire::store_be(prefix.data(), static_cast<wire::u32>(message.size()));
    message.insert(message.begin(), prefix.begin(), prefix.end());
    to.outgoing.push_back(std::move(message));
    if (std::exchange(to.writing, true)) return;
    asio::co_spawn(to.socket.get_executor(), write_all(both, to), [](std::exception_ptr) {});
  }

  static wire::net::awaitable<void> write_all(std::shared_ptr<link> both, side& to) {
    while (!to.outgoing.empty()) {
      const auto message = std::move(to.outgoing.front());
      to.outgoing.pop_front();
      auto [error, n] =
          co_await asio::async_write(to.socket, asio::buffer(message), wire::net::as_result);
      if (error) break;
    }
    to.writing = false;
    if (to.closing) close(both, to);
  }

  /// When what was given before has been sent.
  static void close(const std::shared_ptr<link>&, side& one) {
    one.closing = true;
    std::error_code gone;
    if (!one.writing) one.socket.shutdown(tcp::socket::shutdown_send, gone);
  }

  tcp::acceptor acceptor_;
  tcp::endpoint server_;
};

} // namespace support
