#pragma once

#include "smb2/tree.hpp"

namespace smb2 {

/// A share by way of several connections with a session each, for work on many files at once: each
/// file belongs to one of them. One file over several connections is smb2/multichannel.hpp.
///
///   auto pool = co_await smb2::tree_pool::open(options, "share", 4);
///   auto some = co_await pool->next().stat("a");
class tree_pool {
 public:
  /// `options.connection.number` is of the first; the others count on from there.
  /// Errors: the first that came; none of the connections stays.
  [[nodiscard]] static awaitable<std::expected<tree_pool, error>>
  open(session_options options, std::string share, std::size_t count);

  /// The one that has the fewest calls outstanding, of those that live. A file works on in the tree
  /// in which it was opened.
  [[nodiscard]] tree& next();
  [[nodiscard]] std::span<tree> all() noexcept { return trees_; }
  [[nodiscard]] std::size_t living() const noexcept;

  /// Leaves the share and ends the sessions. Errors: the first; all are tried.
  [[nodiscard]] awaitable<std::expected<void, error>> close();

 private:
  explicit tree_pool(std::vector<tree> trees) : trees_(std::move(trees)) {}

  std::vector<tree> trees_;
  std::size_t last_ = 0;
};

} // namespace smb2
