#include "wire/net/driver.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace {

using namespace std::chrono_literals;
using wire::bytes;
using wire::nanos;
using wire::u64;
using wire::net::as_result;
using wire::net::awaitable;
using tcp = asio::ip::tcp;

/// Sends what it is given and collects what comes.
struct echo_core {
  std::deque<wire::writer> to_send;
  std::optional<wire::writer> sending;
  std::string received;
  std::vector<nanos> sent_at;
  std::optional<std::error_code> lost;
  std::optional<nanos> timeout;
  int timeouts = 0;
  bool broken = false;

  void receive(bytes data, nanos) { received += wire::as_text(data); }
  void handle_timeout(nanos) {
    ++timeouts;
    timeout.reset();
  }
  void connection_lost(std::error_code error, nanos) { lost = error; }
  std::optional<wire::net::transmission> poll_transmit(nanos) {
    if (to_send.empty()) return std::nullopt;
    sending = std::move(to_send.front());
    to_send.pop_front();
    return wire::net::transmission{.message = &*sending, .id = sent_at.size()};
  }
  void transmitted(u64, nanos encoded, nanos first, nanos last) {
    EXPECT_LE(encoded, first);
    EXPECT_LE(first, last);
    sent_at.push_back(last);
  }
  std::optional<nanos> poll_timeout() { return timeout; }
  bool failed() const { return broken; }
};

awaitable<void> serve_echo(tcp::acceptor& acceptor, std::size_t total) {
  auto [error, socket] = co_await acceptor.async_accept(as_result);
  EXPECT_FALSE(error);
  std::vector<std::byte> buffer(64 * 1024);
  for (std::size_t done = 0; done < total;) {
    auto [failure, n] = co_await socket.async_read_some(asio::buffer(buffer), as_result);
    if (failure) co_return;
    auto [write_failure, written] =
        co_await asio::async_write(socket, asio::buffer(buffer.data(), n), as_result);
    if (write_failure) co_return;
    done += written;
  }
}

struct fixture {
  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  echo_core core;
  wire::net::signal changed;

  wire::net::connect_options target() {
    wire::net::connect_options out;
    out.host = "127.0.0.1";
    out.port = acceptor.local_endpoint().port();
    return out;
  }
  void serve(std::size_t total) {
    asio::co_spawn(io, serve_echo(acceptor, total), [](std::exception_ptr e) { EXPECT_FALSE(e); });
  }
  auto driver_for(wire::net::stream s) {
    return std::make_shared<wire::net::driver<echo_core>>(std::move(s), core,
                                                          [this] { changed.notify(); });
  }
};

awaitable<bool> send_and_collect(fixture& f, std::size_t total) {
  auto stream = co_await wire::net::stream::connect(f.target());
  if (!stream) co_return false;
  auto driver = f.driver_for(std::move(*stream));
  driver->start();
  driver->flush();
  while (f.core.received.size() < total && !f.core.lost) {
    co_await f.changed.wait();
    f.changed.reset();
  }
  driver->detach();
  co_return true;
}

TEST(Driver, SendsMoreThanTheKernelTakesAtOnceAndGetsItBack) {
  fixture f;
  constexpr std::size_t message_bytes = 8 * 1024 * 1024;
  const std::vector<std::byte> payload(message_bytes, std::byte{'x'});
  for (int i = 0; i < 2; ++i) {
    wire::writer message;
    message.be(wire::u32{0x61626364});
    message.borrow(payload);
    f.core.to_send.push_back(std::move(message));
  }
  const auto total = 2 * (message_bytes + 4);
  f.serve(total);

  EXPECT_TRUE(wire::net::run_to_end(f.io, send_and_collect(f, total)));

  EXPECT_EQ(f.core.received.size(), total);
  EXPECT_EQ(f.core.received.substr(0, 5), "abcdx");
  EXPECT_EQ(f.core.received.substr(message_bytes + 4, 5), "abcdx");
  EXPECT_EQ(f.core.sent_at.size(), 2u);
}

TEST(Driver, TellsTheCoreThatThePeerClosed) {
  fixture f;
  f.serve(0);

  EXPECT_TRUE(wire::net::run_to_end(f.io, send_and_collect(f, 1)));

  EXPECT_EQ(f.core.lost, asio::error::eof);
}

awaitable<bool> wait_for_timeout(fixture& f) {
  auto stream = co_await wire::net::stream::connect(f.target());
  if (!stream) co_return false;
  f.core.timeout = wire::net::now() + 1h;
  auto driver = f.driver_for(std::move(*stream));
  driver->start();
  f.core.timeout = wire::net::now() + 5ms; // earlier than what the timer is armed for
  driver->flush();
  while (f.core.timeouts == 0) {
    co_await f.changed.wait();
    f.changed.reset();
  }
  driver->detach();
  co_return true;
}

TEST(Driver, MovesTheTimerForwardForAnEarlierDeadline) {
  fixture f;
  f.serve(1);

  EXPECT_TRUE(wire::net::run_to_end(f.io, wait_for_timeout(f)));

  EXPECT_EQ(f.core.timeouts, 1);
}

awaitable<std::error_code> connect_refused(fixture& f) {
  auto target = f.target();
  f.acceptor.close();
  auto stream = co_await wire::net::stream::connect(target);
  co_return stream ? std::error_code{} : stream.error();
}

TEST(Stream, SaysThatAConnectionWasRefused) {
  fixture f;

  EXPECT_EQ(wire::net::run_to_end(f.io, connect_refused(f)), std::errc::connection_refused);
}

awaitable<bool> wait_twice(asio::io_context& io, wire::net::signal& s) {
  co_await s.wait();
  s.reset();
  asio::post(io, [&s] { s.notify(); });
  co_await s.wait();
  co_return true;
}

TEST(Signal, WakesAWaiterWhetherItCameBeforeOrAfter) {
  asio::io_context io;
  wire::net::signal s;
  s.notify();

  EXPECT_TRUE(wire::net::run_to_end(io, wait_twice(io, s)));
}

} // namespace
