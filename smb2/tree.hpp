#pragma once

#include "smb2/session.hpp"

namespace smb2 {

namespace detail {

struct tree_state {
  std::shared_ptr<session_state> session;
  u32 id = 0;
  u32 maximal_access = 0;
  u32 capabilities = 0;
  std::string path;     ///< \\server\share
  call_options options; ///< of each call on the tree
};

/// A path of the share as CREATE takes it: either slash between the parts, none in front.
[[nodiscard]] std::expected<utf16_string, error> share_path(std::string_view path);

} // namespace detail

class file;
struct open_options;
struct directory_entry;
struct file_facts;

/// A share in use. Belongs to one strand. Paths are UTF-8, relative to the share, with / or \.
class tree {
 public:
  /// Errors: "TREE_CONNECT \\198.18.1.2\nope: STATUS_BAD_NETWORK_NAME (no such share)".
  /// On 3.0.x the first one validates the negotiation too.
  [[nodiscard]] static awaitable<std::expected<tree, error>> connect(session to, std::string share);

  /// Any command in the share.
  template <class Command>
  [[nodiscard]] awaitable<std::expected<reply<Command>, error>>
  call(const typename Command::request& request) {
    return state_->session->connection->call<Command>(request, state_->options);
  }

  /// Several commands in the share as one related compound: one round trip. Whoever comes second or
  /// later names its file fileid::of_previous().
  ///   auto [opened, got, closed] = co_await where.compound(create, read, close);
  template <class... Requests>
  [[nodiscard]] awaitable<compound_replies<Requests...>> compound(const Requests&... requests) {
    return state_->session->connection->compound(relation::related, state_->options, requests...);
  }

  /// One CREATE. Errors: "CREATE a\b: STATUS_OBJECT_NAME_NOT_FOUND (no such file)".
  [[nodiscard]] awaitable<std::expected<file, error>> open(std::string path, open_options options);
  /// CREATE with DELETE_ON_CLOSE, and CLOSE.
  [[nodiscard]] awaitable<std::expected<void, error>> remove(std::string path);
  [[nodiscard]] awaitable<std::expected<void, error>> remove_directory(std::string path);
  [[nodiscard]] awaitable<std::expected<void, error>> make_directory(std::string path);
  /// CREATE, SET_INFO, CLOSE. What is at `to` already stays, and the error says so.
  [[nodiscard]] awaitable<std::expected<void, error>> rename(std::string from, std::string to);
  /// CREATE, as many QUERY_DIRECTORY as it takes, CLOSE. Without "." and "..".
  [[nodiscard]] awaitable<std::expected<std::vector<directory_entry>, error>>
  list(std::string path);
  /// CREATE and CLOSE: the response of CREATE tells it all.
  [[nodiscard]] awaitable<std::expected<file_facts, error>> stat(std::string path);

  [[nodiscard]] awaitable<std::expected<void, error>> disconnect();

  /// The same share by way of another channel of its session.
  [[nodiscard]] tree in(std::shared_ptr<detail::tree_state> channel) const {
    return tree(std::move(channel));
  }
  /// The session that it is in.
  [[nodiscard]] session of_session() const { return session(state_->session); }

  [[nodiscard]] const std::string& path() const noexcept { return state_->path; }
  [[nodiscard]] u32 maximal_access() const noexcept { return state_->maximal_access; }
  [[nodiscard]] const std::shared_ptr<detail::tree_state>& state() const noexcept { return state_; }

 private:
  explicit tree(std::shared_ptr<detail::tree_state> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::tree_state> state_;
};

} // namespace smb2
