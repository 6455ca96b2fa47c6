#pragma once

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <cassert>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

/// What the project takes of Asio 1.22, under one name each.
/// Inside a coroutine co_await stands alone: `auto r = co_await f(x);`. GCC 12 miscompiles it in
/// conditions and in statements with aggregate temporaries (CONTRIBUTING.md lists the spellings).
namespace wire::net {

using asio::awaitable;

/// Completes with the tuple (error_code, result...) and never throws for I/O errors.
inline constexpr auto as_result = asio::experimental::as_tuple(asio::use_awaitable);

/// One coroutine waits on it, one notify() wakes that coroutine, in place if it already waits.
/// It neither allocates nor is thread safe: it belongs to the strand of its connection.
class signal {
 public:
  signal() = default;
  signal(const signal&) = delete;
  signal& operator=(const signal&) = delete;

  [[nodiscard]] bool notified() const noexcept { return notified_; }

  void notify() {
    notified_ = true;
    if (auto handler = std::exchange(handler_, nullptr)) handler();
  }

  void reset() noexcept { notified_ = false; }

  /// Returns at once when notify() came first.
  awaitable<void> wait() {
    if (notified_) co_return;
    co_await suspend(*this);
  }

 private:
  static awaitable<void> suspend(signal& s) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
        [](auto handler, signal* self) {
          assert(!self->handler_);
          self->handler_ = [h = std::move(handler)]() mutable { std::move(h)(); };
        },
        asio::use_awaitable, &s);
  }

  std::move_only_function<void()> handler_;
  bool notified_ = false;
};

/// Runs a named coroutine to its end on `io` and returns its value; rethrows what it throws.
template <class T>
T run_to_end(asio::io_context& io, awaitable<T> work) {
  std::optional<T> result;
  std::exception_ptr failure;
  asio::co_spawn(io, std::move(work), [&](std::exception_ptr e, T value) {
    failure = e;
    if (!e) result.emplace(std::move(value));
    io.stop();
  });
  io.restart();
  io.run();
  if (failure) std::rethrow_exception(failure);
  assert(result);
  return std::move(*result);
}

} // namespace wire::net
