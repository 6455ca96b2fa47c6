#include "rpc/connection.hpp"
#include "rpc/portmap/client.hpp"
#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"
#include "tests/support/fake_rpc_server.hpp"

#include <asio/experimental/awaitable_operators.hpp>

#include <gtest/gtest.h>

namespace {

using namespace rpc;
using namespace std::chrono_literals;
using support::octets;
using getport = portmap::v2::getport;
using callit = portmap::v2::callit;

struct recorder : wire::exchange_sink {
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }
  std::vector<wire::exchange> seen;
};

struct Connection : testing::Test {
  asio::io_context io;
  support::fake_rpc_server server{io};
  recorder sink;

  connection open(nanos timeout = 5s) {
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), server.port()});
    connection_options options;
    options.timeout = timeout;
    options.sink = &sink;
    options.number = 7;
    return connection(wire::net::stream(std::move(socket)), options);
  }

  void answer_ports() {
    server.on<getport>([](const auto& m) { return portmap::word_result{m.program + 1}; });
  }
};

using answer = std::expected<reply<getport>, error>;

awaitable<answer> ask(connection& c, u32 program, nanos timeout = {}) {
  portmap::mapping m;
  m.program = program;
  call_options options;
  options.timeout = timeout;
  auto r = co_await c.call<getport>(m, options);
  co_return r;
}

TEST_F(Connection, ReturnsTheDecodedReply) {
  answer_ports();
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_TRUE(r);
  EXPECT_EQ(r->message.value, 42u);
}

TEST_F(Connection, ReportsEveryExchangeToItsSink) {
  answer_ports();
  auto c = open();

  ASSERT_TRUE(wire::net::run_to_end(io, ask(c, 41)));

  ASSERT_EQ(sink.seen.size(), 1u);
  const auto& e = sink.seen[0];
  EXPECT_EQ(e.proto, wire::protocol::portmap);
  EXPECT_EQ(e.operation, 3);
  EXPECT_EQ(e.connection, 7u);
  EXPECT_EQ(e.request_bytes, 60u);
  EXPECT_EQ(e.reply_bytes, 32u);
  EXPECT_TRUE(e.replied);
  EXPECT_FALSE(e.failed);
  const std::array times{e.t.submitted, e.t.granted, e.t.encoded, e.t.q0,
                         e.t.q1,        e.t.r0,      e.t.r1,      e.t.completed};
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_TRUE(std::ranges::all_of(times, wire::known));
}

awaitable<int> ask_many(connection& c, int calls) {
  using namespace asio::experimental::awaitable_operators;
  int right = 0;
  for (int i = 0; i < calls; i += 4) {
    const auto base = static_cast<u32>(i);
    auto [a, b, d, e] =
        co_await (ask(c, base) && ask(c, base + 1) && ask(c, base + 2) && ask(c, base + 3));
    right += a && a->message.value == base + 1;
    right += b && b->message.value == base + 2;
    right += d && d->message.value == base + 3;
    right += e && e->message.value == base + 4;
  }
  co_return right;
}

TEST_F(Connection, HasManyCallsInFlightAndTakesRepliesInAnyOrder) {
  answer_ports();
  server.hold = 4; // answers the last call first
  auto c = open();

  EXPECT_EQ(wire::net::run_to_end(io, ask_many(c, 64)), 64);
}

TEST_F(Connection, PutsFragmentsTogether) {
  answer_ports();
  server.fragment_bytes = 3;
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_TRUE(r);
  EXPECT_EQ(r->message.value, 42u);
}

TEST_F(Connection, SaysThatTheServerDoesNotHaveTheProcedure) {
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 1));

  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, errc::refused);
  EXPECT_EQ(r.error().text, "portmap GETPORT to " + c.server() +
                                ": PROC_UNAVAIL (the server does not have this procedure)");
  EXPECT_TRUE(sink.seen.at(0).failed);
}

TEST_F(Connection, SaysThatTheReplyIsGarbage) {
  server.on_raw<getport>([](u32 xid, bytes) {
    wire::writer out;
    support::fake_rpc_server::put_success(xid, out);
    out.be(wire::u16{1});
    return out.flatten();
  });
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 1));

  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, errc::bad_reply);
  EXPECT_NE(r.error().text.find("cannot be decoded: GETPORT: truncated at byte 0"),
            std::string::npos)
      << r.error().text;
  EXPECT_FALSE(c.closed());
}

TEST_F(Connection, EndsItsCallsWhenTheServerClosesInTheMiddle) {
  answer_ports();
  server.close_on_call = true;
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 1));

  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, errc::connection_lost);
  EXPECT_NE(r.error().text.find("the server closed the connection"), std::string::npos);
  EXPECT_TRUE(c.closed());
  const auto again = wire::net::run_to_end(io, ask(c, 1));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, errc::connection_lost);
}

TEST_F(Connection, ClosesWhenTheServerSendsWhatIsNoRpc) {
  answer_ports();
  server.instead.assign(100, std::byte{0x7e});
  auto c = open();

  const auto r = wire::net::run_to_end(io, ask(c, 1));

  ASSERT_FALSE(r);
  EXPECT_NE(r.error().text.find("no RPC"), std::string::npos) << r.error().text;
  EXPECT_TRUE(c.closed());
}

TEST_F(Connection, TimesOutWhenAnotherCallIsAnswered) {
  server.on_raw<getport>([](u32 xid, bytes) {
    return support::fake_rpc_server::refusal(xid + 1, accept_stat::success);
  });
  auto c = open(20ms);

  const auto r = wire::net::run_to_end(io, ask(c, 1));

  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, errc::timed_out);
  EXPECT_NE(r.error().text.find("no reply within 20"), std::string::npos) << r.error().text;
  EXPECT_EQ(c.counters().unknown_replies, 1u);
  EXPECT_FALSE(sink.seen.at(0).replied);
}

awaitable<bool> cancel_after(connection& c, nanos wait) {
  using namespace asio::experimental::awaitable_operators;
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, wait);
  auto first = co_await (ask(c, 1) || timer.async_wait(wire::net::as_result));
  co_return first.index() == 1;
}

TEST_F(Connection, DropsTheReplyToACancelledCall) {
  answer_ports();
  server.hold = 2;
  auto c = open();

  EXPECT_TRUE(wire::net::run_to_end(io, cancel_after(c, 5ms)));
  const auto r = wire::net::run_to_end(io, ask(c, 10));

  ASSERT_TRUE(r);
  EXPECT_EQ(r->message.value, 11u);
  EXPECT_EQ(c.counters().late_replies + c.counters().replies, 3u);
  EXPECT_EQ(sink.seen.size(), 2u);
}

awaitable<bool> send_and_cancel(connection& c, bytes payload, nanos wait) {
  using namespace asio::experimental::awaitable_operators;
  callit::args args;
  args.arguments = payload;
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, wait);
  auto first = co_await (c.call<callit>(args) || timer.async_wait(wire::net::as_result));
  co_return first.index() == 1;
}

TEST_F(Connection, SendsTheRestOfACancelledCallFromItsOwnCopy) {
  answer_ports();
  server.keep_records = true;
  server.reading = false;
  auto c = open();
  {
    const octets payload(12u << 20, std::byte{0x5a});
    EXPECT_TRUE(wire::net::run_to_end(io, send_and_cancel(c, payload, 20ms)));
  } // the payload is gone, part of it is not sent
  server.reading = true;

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_TRUE(r) << r.error().text;
  EXPECT_EQ(r->message.value, 42u);
  ASSERT_EQ(server.records.size(), 2u);
  const bytes arrived = bytes(server.records[0]).subspan(56);
  EXPECT_EQ(arrived.size(), 12u << 20);
  EXPECT_TRUE(std::ranges::all_of(arrived, [](std::byte b) { return b == std::byte{0x5a}; }));
}

TEST_F(Connection, EndsItsCallsWhenItIsDestroyed) {
  server.hold = 2; // one call is never answered
  std::optional<connection> c(open());
  std::optional<answer> ended;
  asio::co_spawn(io, ask(*c, 1), [&](std::exception_ptr, answer a) { ended = std::move(a); });
  io.poll();
  ASSERT_FALSE(ended);

  c.reset();
  io.poll();

  ASSERT_TRUE(ended);
  ASSERT_FALSE(*ended);
  EXPECT_EQ(ended->error().code, errc::connection_lost);
}

awaitable<std::string> connect_error(wire::net::connect_options where) {
  connection_options options;
  auto c = co_await connection::connect(std::move(where), std::move(options));
  co_return c ? "connected" : c.error().text;
}

TEST_F(Connection, SaysWhomItCannotReach) {
  wire::net::connect_options where;
  where.host = "127.0.0.1";
  where.port = 1;

  const auto text = wire::net::run_to_end(io, connect_error(where));

  EXPECT_TRUE(text.starts_with("cannot connect to 127.0.0.1:1: ")) << text;
}

awaitable<std::expected<wire::u16, error>> find(portmap::client& c) {
  portmap::wanted nfs;
  nfs.program = 100003;
  nfs.version = 3;
  auto port = co_await c.port_of(nfs);
  co_return port;
}

TEST_F(Connection, FindsAPortByVersion2OfThePortMapper) {
  server.on<getport>([](const auto& m) {
    EXPECT_EQ(m.version, 3u);
    EXPECT_EQ(m.protocol, portmap::protocol_tcp);
    return portmap::word_result{2049};
  });
  portmap::client c(open());

  EXPECT_EQ(wire::net::run_to_end(io, find(c)), 2049);
}

TEST_F(Connection, FindsAPortByGetaddrWhereThereIsNoVersion2) {
  server.on<portmap::v3::getaddr>([](const auto& m) {
    EXPECT_EQ(m.netid, "tcp");
    return portmap::text_result{"127.0.0.1.8.1"};
  });
  portmap::client c(open());

  EXPECT_EQ(wire::net::run_to_end(io, find(c)), 2049);
  EXPECT_EQ(server.calls<portmap::v4::getaddr>(), 1);
}

/// Answers GETPORT on a UDP socket, but not the first `deaf` times.
struct udp_server {
  explicit udp_server(asio::io_context& io, int deaf_times)
      : socket(io, {asio::ip::address_v4::loopback(), 0}), deaf(deaf_times) {
    asio::co_spawn(io, serve(*this), [](std::exception_ptr) {});
  }

  static awaitable<void> serve(udp_server& self) {
    octets buffer(65'536);
    while (true) {
      asio::ip::udp::endpoint from;
      auto [error, n] =
          co_await self.socket.async_receive_from(asio::buffer(buffer), from, wire::net::as_result);
      if (error) co_return;
      self.seen.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(n));
      if (self.deaf-- > 0) continue;
      const auto call = decode_call_header(self.seen.back());
      wire::writer out;
      support::fake_rpc_server::put_success(call.message.xid, out);
      out.be(u32{42});
      const auto reply = out.flatten();
      std::error_code ignored;
      self.socket.send_to(asio::buffer(reply), from, 0, ignored);
    }
  }

  asio::ip::udp::socket socket;
  int deaf;
  std::vector<octets> seen;
};

connection open_udp(asio::io_context& io, wire::u16 port) {
  asio::ip::udp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  connection_options options;
  options.timeout = 10s;
  return connection(wire::net::datagram(std::move(socket)), options);
}

TEST_F(Connection, CallsOverUdp) {
  udp_server udp(io, 0);
  auto c = open_udp(io, udp.socket.local_endpoint().port());

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_TRUE(r) << r.error().text;
  EXPECT_EQ(r->message.value, 42u);
  EXPECT_EQ(c.counters().retransmissions, 0u);
}

TEST_F(Connection, RepeatsOverUdpWhatGotLost) {
  udp_server udp(io, 1);
  auto c = open_udp(io, udp.socket.local_endpoint().port());

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_TRUE(r) << r.error().text;
  ASSERT_EQ(udp.seen.size(), 2u);
  EXPECT_EQ(udp.seen[0], udp.seen[1]);
  EXPECT_EQ(c.counters().retransmissions, 1u);
}

TEST_F(Connection, SaysThatNobodyListensOverUdp) {
  wire::u16 unused = 0;
  {
    asio::ip::udp::socket free(io, {asio::ip::address_v4::loopback(), 0});
    unused = free.local_endpoint().port();
  }
  auto c = open_udp(io, unused);

  const auto r = wire::net::run_to_end(io, ask(c, 41));

  ASSERT_FALSE(r);
  EXPECT_NE(r.error().text.find("refused"), std::string::npos) << r.error().text;
}

TEST_F(Connection, SaysThatAProgramIsNotRegistered) {
  server.on<getport>([](const auto&) { return portmap::word_result{0}; });
  server.on<portmap::v4::getaddr>([](const auto&) { return portmap::text_result{""}; });
  portmap::client c(open());

  const auto port = wire::net::run_to_end(io, find(c));

  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().code, errc::not_registered);
  EXPECT_NE(port.error().text.find("does not list program 100003 version 3 over TCP"),
            std::string::npos);
}

} // namespace
