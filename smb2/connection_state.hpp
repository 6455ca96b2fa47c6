#pragma once

#include "smb2/connection.hpp"
#include "wire/net/driver.hpp"

/// The inside of a connection; not for users.
namespace smb2::detail {

using driver = wire::net::driver<client_core>;

class connection_state : public std::enable_shared_from_this<connection_state> {
 public:
  explicit connection_state(const connection_options& options)
      : options_(options), core_({.credits_target = options.credits_target,
                                  .quiet = options.quiet,
                                  .echo_timeout = options.echo_timeout}) {}
  connection_state(const connection_state&) = delete;
  connection_state& operator=(const connection_state&) = delete;

  ~connection_state() {
    if (driver_) driver_->detach();
  }

  void start(wire::net::stream stream);
  /// One call, or the parts of a compound.
  void submit(std::span<pending_call* const> parts, nanos timeout);
  /// Whoever waits for the call was cancelled.
  void cancel(pending_call& call);
  /// The same of a compound: those of its parts that are not done.
  void cancel(std::span<pending_call* const> parts);
  void close();
  void allow_multi_credit() { core_.allow_multi_credit(); }
  void open_sealed_with(u64 session_id, std::shared_ptr<message_sealer> sealer) {
    core_.open_sealed_with(session_id, std::move(sealer));
  }

  void take_compressed_as(compression_agreement agreed, u32 bytes_max) {
    core_.take_compressed_as(std::move(agreed), bytes_max);
  }

  void listen(std::shared_ptr<break_listener> listener) {
    if (closed())
      listener->on_connection_lost();
    else
      listener_ = std::move(listener);
  }

  [[nodiscard]] std::span<const unanswered_call> unanswered() const noexcept { return unanswered_; }
  [[nodiscard]] bool closed() const noexcept { return driver_->closed(); }
  [[nodiscard]] const connection_options& options() const noexcept { return options_; }
  [[nodiscard]] const client_core& core() const noexcept { return core_; }
  [[nodiscard]] const std::string& server() const noexcept { return server_; }
  [[nodiscard]] const asio::ip::tcp::endpoint& local() const noexcept { return local_; }
  [[nodiscard]] const asio::ip::tcp::endpoint& remote() const noexcept { return remote_; }
  [[nodiscard]] std::optional<nanos> round_trip_min() {
    return driver_->transport().round_trip_min();
  }

 private:
  void dispatch();
  void deliver(call_event& event);
  static void finish(pending_call& call);

  connection_options options_;
  client_core core_;
  std::vector<call_request> requests_; ///< of one submit()
  std::vector<unanswered_call> unanswered_;
  std::shared_ptr<break_listener> listener_;
  std::string server_;
  asio::ip::tcp::endpoint local_;
  asio::ip::tcp::endpoint remote_;
  std::shared_ptr<driver> driver_;
};

} // namespace smb2::detail
