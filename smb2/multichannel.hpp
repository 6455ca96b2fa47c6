#pragma once

#include "smb2/file.hpp"

#include <asio/ip/address.hpp>

/// One session over several connections, and files whose bytes are spread over them.
/// · source: MS-SMB2 2.2.32.5, 3.2.4.1.7, 3.2.4.20.10, 3.2.7.1
namespace smb2 {

/// An address at which the server says that it can be reached. · units: bit/s
struct server_interface {
  asio::ip::address address;
  u32 index = 0; ///< of the network interface; addresses may share one
  u64 link_speed = 0;
  bool rss = false; ///< worth more than one connection
  bool rdma = false;
};

/// FSCTL_QUERY_NETWORK_INTERFACE_INFO, for which it connects to IPC$. Addresses of families other
/// than IP are left out.
/// Errors: STATUS_NOT_SUPPORTED and others of a server without multichannel.
[[nodiscard]] awaitable<std::expected<std::vector<server_interface>, error>>
server_interfaces(session on);

struct channel_options {
  std::size_t count = 2; ///< connections, the first one counted
  /// Of the further ones, in turn; port 0: that of the first. Empty: the server's interfaces, those
  /// first that are not in use, then the fast ones.
  std::vector<wire::net::connect_options> addresses;
};

/// The channels of a session. Belongs to one strand. A lost channel is survived as long as another
/// one lives: READs and WRITEs under way go out again on that (the same bytes at the same offset),
/// with the next ChannelSequence, so that the server takes nothing of the lost one any more.
///
///   auto first = co_await smb2::session::open(options);
///   auto where = co_await smb2::tree::connect(*first, "share");
///   auto all = co_await smb2::multichannel::over(*first, four_channels);
///   auto out = co_await all->open(*where, "big", smb2::open_options::to_write());
///   auto written = co_await all->write(*out, 0, data);
class multichannel {
 public:
  /// Binds the further channels to `first`. Fewer than wanted are no error, but none is.
  /// Errors: those of session::bind() to the last address tried.
  [[nodiscard]] static awaitable<std::expected<multichannel, error>> over(session first,
                                                                          channel_options options);

  /// CREATE on the first channel that lives. When the channel is lost before the answer, a durable
  /// CREATE is replayed on another one; any other has an unknown outcome.
  [[nodiscard]] awaitable<std::expected<file, error>> open(tree where, std::string path,
                                                           open_options options);

  /// As file has them, on all channels that live. `options.window_bytes` is of each.
  [[nodiscard]] awaitable<std::expected<u64, error>>
  read(file from, u64 offset, std::span<std::byte> into, transfer_options options = {});
  [[nodiscard]] awaitable<std::expected<void, error>> write(file to, u64 offset, bytes data,
                                                            transfer_options options = {});

  /// The same file or share by way of the first channel that lives, for all other work on it.
  [[nodiscard]] file through(const file& what) const;
  [[nodiscard]] tree through(const tree& what) const;

  /// Binds lost channels anew, each to its address.
  [[nodiscard]] awaitable<std::expected<void, error>> mend();

  [[nodiscard]] std::size_t size() const noexcept { return channels_->size(); }
  [[nodiscard]] std::size_t living() const noexcept;
  [[nodiscard]] session channel(std::size_t i) const { return (*channels_)[i].on; }

 private:
  struct one_channel {
    session on;
    wire::net::connect_options where;
  };
  using channel_list = std::vector<one_channel>;

  explicit multichannel(std::shared_ptr<channel_list> channels) : channels_(std::move(channels)) {}

  [[nodiscard]] const session& first_living() const noexcept;
  [[nodiscard]] std::vector<std::shared_ptr<detail::tree_state>>
  lanes(const detail::tree_state& what) const;

  std::shared_ptr<channel_list> channels_;
};

} // namespace smb2
