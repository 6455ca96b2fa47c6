#pragma once

#include "rpc/message.hpp"
#include "rpc/record_mark.hpp"
#include "rpc/xdr.hpp"
#include "tests/support/fake_gss.hpp"
#include "wire/net/async.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace support {

/// An RPC server on the loopback that does what a test tells it: it decodes arguments and encodes
/// results with the codec, or sends what it likes. Serves every program on one port.
class fake_rpc_server {
 public:
  explicit fake_rpc_server(asio::io_context& io)
      : acceptor_(io, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    asio::co_spawn(io, accept_loop(*this), ignore);
  }

  [[nodiscard]] wire::u16 port() const { return acceptor_.local_endpoint().port(); }

  /// Replies with what `handler` returns; its views must live until it is called again.
  template <class Op>
  void on(std::function<typename Op::reply(const typename Op::args&)> handler) {
    on_raw<Op>([handler](wire::u32 xid, wire::bytes body) -> octets {
      const auto args = rpc::decode_exact<typename Op::args>(body, Op::name);
      if (!args) return refusal(xid, rpc::accept_stat::garbage_args);
      wire::writer out;
      put_success(xid, out);
      if (!rpc::encode(handler(*args), out)) return {};
      return out.flatten();
    });
  }

  /// `handler` gives the record to be sent, without its mark; an empty one is no reply.
  template <class Op>
  void on_raw(std::function<octets(wire::u32 xid, wire::bytes args)> handler) {
    handlers_[{Op::program::number, Op::program::version, Op::procedure}] = std::move(handler);
  }

  template <class Op>
  [[nodiscard]] int calls() const {
    const auto found = calls_.find({Op::program::number, Op::program::version, Op::procedure});
    return found == calls_.end() ? 0 : found->second;
  }

  static void put_success(wire::u32 xid, wire::writer& out) {
    rpc::reply_header header;
    header.xid = xid;
    static_cast<void>(rpc::encode(header, out));
  }

  static octets refusal(wire::u32 xid, rpc::accept_stat why) {
    rpc::reply_header header;
    header.xid = xid;
    header.accepted = why;
    wire::writer out;
    static_cast<void>(rpc::encode(header, out));
    return out.flatten();
  }

  std::size_t fragment_bytes = 0; ///< cuts replies into fragments; 0: one
  std::size_t hold = 1;           ///< answers only when so many replies are ready, last one first
  bool close_on_call = false;     ///< the next call gets a closed connection
  bool reading = true;            ///< false: leaves everything in the socket
  octets instead;                 ///< the next reply is these bytes, whatever was called
  std::vector<octets> records;    ///< the calls as they came, if `keep_records`
  bool keep_records = false;
  toy_gss_server* gss = nullptr; ///< takes calls with RPCSEC_GSS, and does not care which must
  int forget_contexts = 0;       ///< so many calls are refused with RPCSEC_GSS_CTXPROBLEM
  int destroyed_contexts = 0;

 private:
  using key = std::tuple<wire::u32, wire::u32, wire::u32>;
  using socket_ptr = std::shared_ptr<asio::ip::tcp::socket>;

  static void ignore(std::exception_ptr) {}

  static wire::net::awaitable<void> accept_loop(fake_rpc_server& self) {
    auto executor = co_await asio::this_coro::executor;
    while (true) {
      auto socket = std::make_shared<asio::ip::tcp::socket>(executor);
      auto [error] = co_await self.acceptor_.async_accept(*socket, wire::net::as_result);
      if (error) co_return;
      socket->set_option(asio::ip::tcp::no_delay(true));
      asio::co_spawn(executor, serve(self, socket), ignore);
    }
  }

  static wire::net::awaitable<void> serve(fake_rpc_server& self, socket_ptr socket) {
    rpc::record_framer framer(rpc::record_bytes_max);
    octets buffer(64 * 1024);
    std::vector<octets> ready;
    while (true) {
      while (!self.reading) {
        asio::steady_timer timer(socket->get_executor(), std::chrono::milliseconds(1));
        auto [ignored] = co_await timer.async_wait(wire::net::as_result);
        static_cast<void>(ignored);
      }
      auto [error, n] =
          co_await socket->async_read_some(asio::buffer(buffer), wire::net::as_result);
      if (error) co_return;
      framer.feed(wire::bytes(buffer).first(n), {});
      while (auto record = framer.next()) {
        auto answer = self.answer(record->data);
        if (std::exchange(self.close_on_call, false)) co_return;
        if (!answer.empty()) ready.push_back(std::move(answer));
      }
      if (ready.size() < self.hold) continue;
      octets out;
      for (auto i = ready.rbegin(); i != ready.rend(); ++i)
        self.append_framed(out, *i);
      ready.clear();
      if (!self.instead.empty()) out = std::exchange(self.instead, {});
      auto [failed, sent] =
          co_await asio::async_write(*socket, asio::buffer(out), wire::net::as_result);
      static_cast<void>(sent);
      if (failed) co_return;
    }
  }

  octets answer(wire::bytes record) {
    if (keep_records) records.emplace_back(record.begin(), record.end());
    const auto call = rpc::decode_call_header(record);
    if (!call.ok()) return {};
    const auto& h = call.message;
    if (gss != nullptr && h.credential.flavor == rpc::auth_flavor::gss) return answer_gss(record);
    return answer(h, record.subspan(call.size));
  }

  octets answer_gss(wire::bytes record) {
    const auto call = toy_gss_server::read(record);
    if (call.credential.proc == rpc::gss_proc::destroy) ++destroyed_contexts;
    octets reply;
    if (call.credential.proc != rpc::gss_proc::data) {
      reply = gss->answer(call);
    } else if (forget_contexts > 0) {
      --forget_contexts;
      reply = toy_gss_server::refusal(call, rpc::auth_stat::gss_ctx_problem);
    } else {
      const auto bare = answer(call.header, call.args);
      const auto header = rpc::decode_reply_header(bare);
      reply = gss->answer(call, wire::bytes(bare).subspan(header.size));
    }
    reply.erase(reply.begin(), reply.begin() + 4); // append_framed() marks it
    return reply;
  }

  octets answer(const rpc::call_header& h, wire::bytes args) {
    const key k{h.program, h.version, h.procedure};
    ++calls_[k];
    if (h.procedure == 0) return refusal(h.xid, rpc::accept_stat::success);
    const auto found = handlers_.find(k);
    if (found == handlers_.end()) return refusal(h.xid, rpc::accept_stat::proc_unavail);
    return found->second(h.xid, args);
  }

  void append_framed(octets& out, const octets& record) const {
    const auto piece = fragment_bytes == 0 ? record.size() : fragment_bytes;
    for (std::size_t at = 0; at < record.size(); at += piece) {
      const auto n = std::min(piece, record.size() - at);
      const bool last = at + n == record.size();
      std::array<std::byte, 4> mark{};
      wire::store_be(mark.data(),
                     static_cast<wire::u32>(n) | (last ? rpc::record_mark::last_fragment : 0));
      out.insert(out.end(), mark.begin(), mark.end());
      const auto from = record.begin() + static_cast<std::ptrdiff_t>(at);
      out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(n));
    }
  }

  asio::ip::tcp::acceptor acceptor_;
  std::map<key, std::function<octets(wire::u32, wire::bytes)>> handlers_;
  std::map<key, int> calls_;
};

} // namespace support
