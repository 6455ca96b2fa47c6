#include "smb2/tree_pool.hpp"

#include "smb2/connection_state.hpp"

#include <algorithm>

namespace smb2 {

namespace {

const connection& connection_of(const tree& where) {
  return *where.state()->session->connection;
}

std::size_t outstanding(const tree& where) {
  const auto& core = connection_of(where).state()->core();
  return core.calls_in_flight() + core.calls_queued();
}

} // namespace

awaitable<std::expected<tree_pool, error>> tree_pool::open(session_options options,
                                                           std::string share, std::size_t count) {
  std::vector<tree> trees;
  const auto number = options.connection.number;
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
    options.connection.number = static_cast<u32>(number + i);
    auto one = co_await session::open(options);
    if (!one) co_return std::unexpected(std::move(one.error()));
    auto entered = co_await tree::connect(*one, share);
    if (!entered) co_return std::unexpected(std::move(entered.error()));
    trees.push_back(std::move(*entered));
  }
  co_return tree_pool(std::move(trees));
}

/// Of equal ones, each in turn.
tree& tree_pool::next() {
  std::size_t best = trees_.size();
  for (std::size_t step = 1; step <= trees_.size(); ++step) {
    const auto i = (last_ + step) % trees_.size();
    if (connection_of(trees_[i]).closed()) continue;
    if (best == trees_.size() || outstanding(trees_[i]) < outstanding(trees_[best])) best = i;
  }
  last_ = best == trees_.size() ? (last_ + 1) % trees_.size() : best;
  return trees_[last_];
}

std::size_t tree_pool::living() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(trees_, [](const tree& one) { return !connection_of(one).closed(); }));
}

awaitable<std::expected<void, error>> tree_pool::close() {
  auto trees = trees_;
  std::expected<void, error> out;
  for (auto& one : trees) {
    auto left = co_await one.disconnect();
    auto on = one.of_session();
    auto ended = co_await on.logoff();
    if (out && !left) out = std::unexpected(std::move(left.error()));
    if (out && !ended) out = std::unexpected(std::move(ended.error()));
  }
  co_return out;
}

} // namespace smb2
