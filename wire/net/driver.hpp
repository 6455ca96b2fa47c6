#pragma once

#include "wire/bytes.hpp"
#include "wire/net/async.hpp"
#include "wire/net/clock.hpp"
#include "wire/net/stream.hpp"
#include "wire/transmission.hpp"
#include "wire/writer.hpp"

#include <asio/steady_timer.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <vector>

namespace wire::net {

using wire::transmission;

/// A protocol without I/O: bytes and `now` go in, messages and events come out. After each call of
/// the first group the driver drains poll_transmit() and then calls dispatch(), in which the front
/// wakes whom the core's events concern.
template <class C>
concept protocol_core = requires(C& core, bytes data, nanos now, u64 id, std::error_code error) {
  core.receive(data, now);
  core.handle_timeout(now);
  core.connection_lost(error, now);
  { core.poll_transmit(now) } -> std::same_as<std::optional<transmission>>;
  core.transmitted(id, now, now, now); ///< id, encoded, send_first, send_last
  { core.poll_timeout() } -> std::same_as<std::optional<nanos>>;
  { core.failed() } -> std::convertible_to<bool>; ///< the peer broke the protocol: close
};

/// A core that says where long payloads go, so that the kernel's copy is the only one.
template <class C>
concept placing_core = protocol_core<C> && requires(C& core, std::size_t bytes, nanos now) {
  { core.poll_reception() } -> std::same_as<wire::reception>;
  core.received(bytes, now); ///< that many stand where it wanted them
};

/// Pumps one core over one stream, or over a wire::net::datagram. No protocol decision is made
/// here. Lives in a shared_ptr because its reader outlives whoever closes it; belongs to one
/// strand.
template <protocol_core Core, class Transport = stream>
class driver : public std::enable_shared_from_this<driver<Core, Transport>> {
 public:
  driver(Transport s, Core& core, std::move_only_function<void()> dispatch)
      : stream_(std::move(s)), core_(&core), dispatch_(std::move(dispatch)),
        timer_(stream_.socket().get_executor()) {}

  void start() {
    asio::co_spawn(stream_.socket().get_executor(), read_loop(this->shared_from_this()),
                   [](std::exception_ptr e) {
                     if (e) std::rethrow_exception(e);
                   });
    update_timer();
  }

  /// Sends what the core has, at once if the kernel takes it: one gathered write a message.
  void flush() {
    if (closed() || writing_) return;
    const auto alive =
        this->shared_from_this(); // a failed send wakes callers, who may let go of us
    send_until_blocked();
    update_timer();
  }

  /// The bytes that message `id` borrows go away: what is left of it is copied.
  void copy_rest(u64 id) {
    if (!blocked() || current_.id != id) return;
    rest_.clear();
    for (const auto& piece : pieces_) {
      const auto* data = static_cast<const std::byte*>(piece.data());
      rest_.insert(rest_.end(), data, data + piece.size());
    }
    pieces_.assign(1, asio::const_buffer(rest_.data(), rest_.size()));
  }

  /// The core learns of it as connection_lost(error).
  void close(std::error_code error = asio::error::operation_aborted) {
    if (closed()) return;
    const auto alive = this->shared_from_this();
    stream_.close();
    timer_.cancel();
    auto* core = std::exchange(core_, nullptr);
    core->connection_lost(error, now());
    dispatch_();
  }

  /// Must be called before the core goes away; nothing of it is touched afterwards.
  void detach() noexcept {
    core_ = nullptr;
    stream_.close();
    timer_.cancel();
  }

  [[nodiscard]] bool closed() const noexcept { return core_ == nullptr; }
  [[nodiscard]] Transport& transport() noexcept { return stream_; }

 private:
  using self_ptr = std::shared_ptr<driver>;

  static awaitable<void> read_loop(self_ptr self) {
    std::vector<std::byte> buffer(read_buffer_bytes);
    while (!self->closed()) {
      if constexpr (placing_core<Core>) {
        const bool blocked = self->receive_in_place();
        if (self->closed()) co_return;
        if (blocked) {
          const auto error = co_await self->stream_.readable();
          if (self->closed()) co_return;
          if (error) self->close(error);
          continue;
        }
      }
      const auto room = std::span(buffer).first(std::min(buffer.size(), self->room_wanted()));
      const auto got = co_await self->stream_.read_some(room);
      if (self->closed()) co_return;
      if (got.error) {
        self->close(got.error);
        co_return;
      }
      self->core_->receive(bytes(buffer).first(got.bytes), now());
      self->after_input();
    }
  }

  /// Reads what there is to the places that the core names. They may go away while we wait, so none
  /// is kept meanwhile. True: it waits for more bytes of a place.
  bool receive_in_place() requires placing_core<Core> {
    while (!closed()) {
      const auto place = core_->poll_reception().place;
      if (place.empty()) return false;
      const auto got = stream_.read_now(place);
      if (got.error) {
        close(got.error);
        return false;
      }
      if (got.bytes == 0) return true;
      core_->received(got.bytes, now());
      after_input();
    }
    return false;
  }

  [[nodiscard]] std::size_t room_wanted() const {
    if constexpr (placing_core<Core>) return core_->poll_reception().bytes_max;
    return read_buffer_bytes;
  }

  static awaitable<void> timer_loop(self_ptr self) {
    while (!self->closed() && self->armed_for_) {
      const auto until = *self->armed_for_;
      self->timer_.expires_at(std::chrono::steady_clock::time_point(until));
      auto [error] = co_await self->timer_.async_wait(as_result);
      if (self->closed()) co_return;
      if (!error) self->core_->handle_timeout(now());
      self->armed_for_.reset();
      if (!error) self->after_input();
      if (self->closed()) co_return;
      self->armed_for_ = self->core_->poll_timeout();
    }
    self->timing_ = false;
  }

  static awaitable<void> write_loop(self_ptr self) {
    while (!self->closed() && self->blocked()) {
      const auto error = co_await self->stream_.writable();
      if (self->closed()) co_return;
      if (error) {
        self->close(error);
        co_return;
      }
      self->send_pieces();
    }
    self->writing_ = false;
    if (!self->closed()) self->flush();
  }

  void after_input() {
    flush();
    dispatch_();
    if (!closed() && core_->failed())
      close(std::make_error_code(std::errc::protocol_error));
    else
      flush();
  }

  void send_until_blocked() {
    while (!closed()) {
      if (!blocked() && !next_message()) return;
      send_pieces();
      if (closed()) return;
      if (blocked()) {
        writing_ = true;
        asio::co_spawn(stream_.socket().get_executor(), write_loop(this->shared_from_this()),
                       [](std::exception_ptr e) {
                         if (e) std::rethrow_exception(e);
                       });
        return;
      }
    }
  }

  bool next_message() {
    const auto message = core_->poll_transmit(now());
    if (!message) return false;
    current_ = *message;
    pieces_.clear();
    message->message->for_each_segment(
        [this](bytes part) { pieces_.emplace_back(part.data(), part.size()); });
    encoded_ = send_first_ = now();
    return true;
  }

  void send_pieces() {
    const auto out = stream_.write_some(pieces_);
    if (out.error) {
      close(out.error);
      return;
    }
    drop_front(out.bytes);
    if (!blocked()) core_->transmitted(current_.id, encoded_, send_first_, now());
  }

  [[nodiscard]] bool blocked() const noexcept { return !pieces_.empty(); }

  void drop_front(std::size_t n) {
    auto piece = pieces_.begin();
    while (piece != pieces_.end() && piece->size() <= n) {
      n -= piece->size();
      ++piece;
    }
    pieces_.erase(pieces_.begin(), piece);
    if (n > 0) pieces_.front() += n;
  }

  /// Deadlines lie far ahead and are nearly always met: the timer is moved only to come earlier.
  void update_timer() {
    if (closed()) return;
    const auto wanted = core_->poll_timeout();
    if (!wanted || (armed_for_ && *armed_for_ <= *wanted)) return;
    armed_for_ = wanted;
    if (timing_) {
      timer_.cancel();
      return;
    }
    timing_ = true;
    asio::co_spawn(stream_.socket().get_executor(), timer_loop(this->shared_from_this()),
                   [](std::exception_ptr e) {
                     if (e) std::rethrow_exception(e);
                   });
  }

  static constexpr std::size_t read_buffer_bytes = 256 * 1024;

  Transport stream_;
  Core* core_;
  std::move_only_function<void()> dispatch_;
  asio::steady_timer timer_;
  std::optional<nanos> armed_for_;
  bool timing_ = false;
  bool writing_ = false;
  transmission current_;
  std::vector<asio::const_buffer> pieces_;
  std::vector<std::byte> rest_; ///< of a message whose borrowed bytes went away
  nanos encoded_{};
  nanos send_first_{};
};

} // namespace wire::net
