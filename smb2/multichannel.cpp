#include "smb2/multichannel.hpp"

#include "smb2/file_transfer.hpp"
#include "smb2/ioctls/network_interface.hpp"
#include "smb2/open.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace smb2 {

namespace {

using interfaces = std::vector<server_interface>;

std::optional<asio::ip::address> address_of(bytes ip) {
  if (ip.size() == 4) {
    asio::ip::address_v4::bytes_type raw;
    std::ranges::transform(ip, raw.begin(), [](std::byte b) { return std::to_integer<u8>(b); });
    return asio::ip::address_v4(raw);
  }
  if (ip.size() == 16) {
    asio::ip::address_v6::bytes_type raw;
    std::ranges::transform(ip, raw.begin(), [](std::byte b) { return std::to_integer<u8>(b); });
    return asio::ip::address_v6(raw);
  }
  return std::nullopt;
}

/// What is behind a link-local address depends on who asks, and what is behind the loopback too.
bool leads_there(const asio::ip::address& address) {
  if (address.is_loopback() || address.is_unspecified()) return false;
  return !address.is_v6() || !address.to_v6().is_link_local();
}

std::expected<interfaces, error> interfaces_in(bytes output) {
  constexpr std::size_t interfaces_max = 1024;
  interfaces out;
  entry_walker<network_interface_info> walk(output);
  while (const auto one = walk.next()) {
    const auto address = address_of(one->ip());
    if (!address || out.size() == interfaces_max) continue;
    out.push_back({*address, one->if_index, one->link_speed,
                   (one->capability & network_interface_info::rss_capable) != 0,
                   (one->capability & network_interface_info::rdma_capable) != 0});
  }
  if (walk.ok()) return out;
  return std::unexpected(error{
      errc::bad_response, fmt::format("QUERY_NETWORK_INTERFACE_INFO: {}", describe(walk.error()))});
}

std::shared_ptr<detail::tree_state> tree_through(const detail::tree_state& what,
                                                 const session& channel) {
  auto out = std::make_shared<detail::tree_state>(what);
  out->session = channel.state();
  const bool seals = what.options.sealer != nullptr;
  out->options = channel.state()->call(what.id);
  if (seals) {
    out->options.signer = nullptr;
    out->options.sealer = channel.state()->sealer;
  }
  return out;
}

/// The server's addresses, those that no channel uses yet first.
std::vector<wire::net::connect_options> addresses_of(interfaces list, const session& first) {
  const auto used = first.connection().remote_endpoint().address();
  std::erase_if(list, [](const server_interface& one) { return !leads_there(one.address); });
  std::ranges::stable_sort(list, [&](const server_interface& a, const server_interface& b) {
    if ((a.address == used) != (b.address == used)) return b.address == used;
    return a.link_speed > b.link_speed;
  });
  std::vector<wire::net::connect_options> out;
  for (const auto& one : list) {
    auto where = first.state()->options.where;
    where.host = one.address.to_string();
    out.push_back(std::move(where));
  }
  return out;
}

} // namespace

awaitable<std::expected<interfaces, error>> server_interfaces(session on) {
  constexpr u32 output_max = 65'536;
  auto ipc = co_await tree::connect(on, "IPC$");
  if (!ipc) co_return std::unexpected(std::move(ipc.error()));
  ioctl::request request;
  request.ctl_code = fsctl::query_network_interface_info;
  request.max_output_response = output_max;
  auto got = co_await ipc->call<ioctl>(request);
  auto left = co_await ipc->disconnect();
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(
        detail::status_error("IOCTL QUERY_NETWORK_INTERFACE_INFO", got->status));
  if (!left) co_return std::unexpected(std::move(left.error()));
  co_return interfaces_in(got->message.output);
}

awaitable<std::expected<multichannel, error>> multichannel::over(session first,
                                                                 channel_options options) {
  auto addresses = options.addresses;
  if (addresses.empty() && options.count > 1) {
    auto list = co_await server_interfaces(first);
    if (!list) co_return std::unexpected(std::move(list.error()));
    addresses = addresses_of(std::move(*list), first);
  }
  auto channels = std::make_shared<channel_list>();
  channels->push_back({first, first.state()->options.where});
  const auto number = first.state()->options.connection.number;
  error problem;
  problem.code = errc::unsupported;
  problem.text = "the server names no address for further channels";
  std::size_t failed = 0; // in a row
  for (std::size_t i = 0; channels->size() < options.count && failed < addresses.size(); ++i) {
    const auto where = addresses[i % addresses.size()];
    const auto next = static_cast<u32>(number + channels->size());
    auto bound = co_await session::bind(first, where, next);
    failed = bound ? 0 : failed + 1;
    if (bound)
      channels->push_back({*bound, where});
    else
      problem = std::move(bound.error());
  }
  if (channels->size() == 1 && options.count > 1) co_return std::unexpected(std::move(problem));
  co_return multichannel(std::move(channels));
}

awaitable<std::expected<file, error>> multichannel::open(tree where, std::string path,
                                                         open_options options) {
  const auto self = *this;
  detail::complete(options);
  detail::open_how how;
  while (true) {
    const auto channel = self.first_living();
    const auto lane = tree_through(*where.state(), channel);
    auto opened = co_await detail::open_file(lane, path, options, how);
    const bool lost = !opened && (opened.error().code == errc::outcome_unknown ||
                                  opened.error().code == errc::connection_lost);
    const bool sent = lost && opened.error().code == errc::outcome_unknown;
    if (!lost || self.living() == 0 || (sent && !options.durable)) co_return opened;
    channel.state()->note_lost();
    how.replay = how.replay || sent;
  }
}

awaitable<std::expected<u64, error>>
multichannel::read(file from, u64 offset, std::span<std::byte> into, transfer_options options) {
  const auto ways = lanes(*from.tree());
  const auto id = from.id();
  const auto& renewal = ways.front()->session->renewal;
  const auto seen = renewal->generation();
  auto got = co_await detail::read_window(ways, id, offset, into, options);
  if (!got) {
    const bool again = co_await detail::renewed(ways.front()->session, got.error(), seen);
    if (again) got = co_await detail::read_window(ways, id, offset, into, options);
  }
  if (!got) got.error().text = fmt::format("{}: {}", from.path(), got.error().text);
  co_return got;
}

awaitable<std::expected<void, error>> multichannel::write(file to, u64 offset, bytes data,
                                                          transfer_options options) {
  const auto ways = lanes(*to.tree());
  const auto id = to.id();
  const auto& renewal = ways.front()->session->renewal;
  const auto seen = renewal->generation();
  auto done = co_await detail::write_window(ways, id, offset, data, options);
  if (!done) {
    const bool again = co_await detail::renewed(ways.front()->session, done.error(), seen);
    if (again) done = co_await detail::write_window(ways, id, offset, data, options);
  }
  if (!done) done.error().text = fmt::format("{}: {}", to.path(), done.error().text);
  co_return done;
}

file multichannel::through(const file& what) const {
  return what.in(tree_through(*what.tree(), first_living()));
}

tree multichannel::through(const tree& what) const {
  return what.in(tree_through(*what.state(), first_living()));
}

awaitable<std::expected<void, error>> multichannel::mend() {
  const auto channels = channels_;
  const auto alive = first_living();
  for (auto& one : *channels) {
    if (!one.on.connection().closed()) continue;
    one.on.state()->note_lost();
    const auto where = one.where;
    const auto number = one.on.state()->options.connection.number;
    auto bound = co_await session::bind(alive, where, number);
    if (!bound) co_return std::unexpected(std::move(bound.error()));
    one.on = *bound;
  }
  co_return std::expected<void, error>{};
}

std::size_t multichannel::living() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      *channels_, [](const one_channel& one) { return !one.on.connection().closed(); }));
}

/// The first one when none lives: what is asked of it then fails as it should.
const session& multichannel::first_living() const noexcept {
  const auto found = std::ranges::find_if(
      *channels_, [](const one_channel& one) { return !one.on.connection().closed(); });
  return found == channels_->end() ? channels_->front().on : found->on;
}

std::vector<std::shared_ptr<detail::tree_state>>
multichannel::lanes(const detail::tree_state& what) const {
  std::vector<std::shared_ptr<detail::tree_state>> out;
  for (const auto& one : *channels_)
    if (!one.on.connection().closed()) out.push_back(tree_through(what, one.on));
  if (out.empty()) out.push_back(tree_through(what, first_living()));
  return out;
}

} // namespace smb2
