#pragma once

#include "smb2/oplocks.hpp"
#include "smb2/session.hpp"

#include <asio/steady_timer.hpp>

#include <deque>
#include <map>
#include <vector>

/// The oplocks and leases of a client; not for users.
namespace smb2::detail {

/// One oplock, or one lease with all opens under its key.
struct hold {
  cache_grant grant;
  break_answer answer = break_answer::at_once;
  u64 session_id = 0;
  fileid file;            ///< of an oplock
  bool has_epoch = false; ///< of a lease on 3.x
  std::size_t opens = 1;
  bool lost = false;              ///< with all connections
  std::deque<cache_break> breaks; ///< that next_break() has not told yet
  std::vector<asio::steady_timer*> waiting;

  // How it is acknowledged.
  std::weak_ptr<session_state> session;
  call_options options;
  asio::any_io_executor strand;
};

/// What one client (one ClientGuid) holds on one server. Its connections and sessions share it: a
/// lease is broken on whichever connection the server likes.
class hold_table final : public break_listener, public std::enable_shared_from_this<hold_table> {
 public:
  /// A lease may be broken before the answer to its CREATE is here, so it is known before.
  [[nodiscard]] std::shared_ptr<hold> add_lease(const guid& key);
  /// What CREATE granted of it.
  static void grant_lease(hold& h, u32 state, u16 epoch);
  void add_oplock(const fileid& file, std::shared_ptr<hold> h);
  /// One open of it is closed.
  void remove(hold& h);

  void connection_added() { ++connections_; }
  void on_break(const header& head, bytes message) override;
  void on_connection_lost() override;

  [[nodiscard]] break_counters& counters() noexcept { return counters_; }

 private:
  using hold_ptr = std::shared_ptr<hold>;

  [[nodiscard]] hold_ptr find_oplock(const header& head, const fileid& file) const;
  [[nodiscard]] hold_ptr find_lease(const guid& key) const;
  void break_oplock(const hold_ptr& h, const oplock_break::response& m);
  void break_lease(const hold_ptr& h, const oplock_break::response& m);
  void tell(const hold_ptr& h, const cache_break& what);

  std::vector<hold_ptr> oplocks_;
  std::map<guid, hold_ptr> leases_;
  std::size_t connections_ = 0;
  break_counters counters_;
};

/// The next break of it that nobody was told of.
[[nodiscard]] awaitable<std::expected<cache_break, error>>
wait_for_break(std::shared_ptr<hold> h, std::string path, nanos timeout);

/// OPLOCK_BREAK with what is kept: an oplock level, or a lease state.
[[nodiscard]] awaitable<std::expected<void, error>>
acknowledge_break(std::shared_ptr<hold_table> table, std::shared_ptr<hold> h, u8 level, u32 state);

} // namespace smb2::detail
