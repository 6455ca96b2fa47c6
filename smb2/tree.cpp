#include "smb2/tree.hpp"

#include "smb2/file.hpp"
#include "smb2/negotiation.hpp"
#include "smb2/open.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace detail {

std::expected<utf16_string, error> share_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (const char c : path) {
    const bool slash = c == '/' || c == '\\';
    if (slash && (out.empty() || out.back() == '\\')) continue;
    out.push_back(slash ? '\\' : c);
  }
  if (!out.empty() && out.back() == '\\') out.pop_back();
  auto wide = to_utf16(out);
  if (!wide)
    return std::unexpected(error{errc::bad_name, fmt::format("'{}': {}", path, wide.error())});
  if (wide->data.size() > name_bytes_max)
    return std::unexpected(error{errc::too_long, fmt::format("'{}': the path is too long", path)});
  return std::move(*wide);
}

namespace {

std::string share_name(const session_state& state, std::string_view share) {
  return fmt::format(R"(\\{}\{})", state.options.where.host, share);
}

std::expected<std::shared_ptr<tree_state>, error>
enter(const std::shared_ptr<session_state>& session, const reply<tree_connect>& got,
      std::string path) {
  const bool seal = (got.message.share_flags & tree_connect::response::flag_encrypt_data) != 0;
  if (seal && !session->sealer)
    return std::unexpected(
        error{errc::not_secure,
              fmt::format("TREE_CONNECT {}: the share demands sealing, and no cipher was agreed on",
                          path)});
  auto state = std::make_shared<tree_state>();
  state->session = session;
  state->id = got.tree_id;
  state->maximal_access = got.message.maximal_access;
  state->capabilities = got.message.capabilities;
  state->path = std::move(path);
  state->options = session->call(state->id);
  if (seal) state->options.sealer = session->sealer;
  return state;
}

} // namespace

} // namespace detail

awaitable<std::expected<tree, error>> tree::connect(session to, std::string share) {
  const auto session = to.state();
  auto path = detail::share_name(*session, share);
  const auto wide = to_utf16(path);
  if (!wide || wide->data.size() > name_bytes_max) {
    error e;
    e.code = errc::bad_name;
    e.text = fmt::format("TREE_CONNECT {}: the name cannot be sent", path);
    co_return std::unexpected(std::move(e));
  }
  tree_connect::request request;
  request.path = wide->view();
  // On 3.1.1 it is signed even where the session is not (MS-SMB2 3.2.4.1.1).
  const bool must_sign = session->facts.dialect >= dialect::smb_3_1_1;
  const auto options = session->call(0, must_sign);
  auto got = co_await session->connection->call<tree_connect>(request, options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::status_error("TREE_CONNECT " + path, got->status));
  auto state = detail::enter(session, *got, std::move(path));
  if (!state) co_return std::unexpected(std::move(state.error()));
  auto valid = co_await detail::validate_negotiation(*session, (*state)->options);
  if (!valid) co_return std::unexpected(std::move(valid.error()));
  co_return tree(std::move(*state));
}

awaitable<std::expected<file, error>> tree::open(std::string path, open_options options) {
  return detail::open_file(state_, std::move(path), std::move(options), {});
}

namespace {

awaitable<std::expected<void, error>> open_and_close(tree where, std::string path,
                                                     open_options options) {
  auto opened = co_await where.open(std::move(path), options);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto closed = co_await opened->close();
  co_return closed;
}

} // namespace

awaitable<std::expected<void, error>> tree::remove(std::string path) {
  return open_and_close(*this, std::move(path),
                        open_options::to_remove(create_option::non_directory_file));
}

awaitable<std::expected<void, error>> tree::remove_directory(std::string path) {
  return open_and_close(*this, std::move(path),
                        open_options::to_remove(create_option::directory_file));
}

awaitable<std::expected<void, error>> tree::make_directory(std::string path) {
  return open_and_close(*this, std::move(path), open_options::to_make_directory());
}

awaitable<std::expected<void, error>> tree::rename(std::string from, std::string to) {
  auto self = *this;
  const auto name = detail::share_path(to);
  if (!name) co_return std::unexpected(name.error());
  const auto options = open_options::to_rename();
  auto opened = co_await self.open(std::move(from), options);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  file_rename_information info;
  info.file_name = name->view();
  auto set = co_await opened->set(info);
  auto closed = co_await opened->close();
  if (!set) {
    error e = std::move(set.error());
    e.text = fmt::format("renaming {} to {}: {}", opened->path(), to, e.text);
    co_return std::unexpected(std::move(e));
  }
  co_return closed;
}

awaitable<std::expected<std::vector<directory_entry>, error>> tree::list(std::string path) {
  auto self = *this;
  open_options options;
  options.access = access::read_data | access::read_attributes;
  options.create_options = create_option::directory_file;
  auto opened = co_await self.open(std::move(path), options);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  std::vector<directory_entry> all;
  while (true) {
    auto some = co_await opened->next_entries();
    if (!some) {
      const auto closed = co_await opened->close();
      static_cast<void>(closed); // the first error is the one that counts
      co_return std::unexpected(std::move(some.error()));
    }
    if (some->empty()) break;
    for (auto& entry : *some)
      if (entry.name != "." && entry.name != "..") all.push_back(std::move(entry));
  }
  auto done = co_await opened->close();
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return all;
}

awaitable<std::expected<file_facts, error>> tree::stat(std::string path) {
  auto self = *this;
  const auto options = open_options::to_stat();
  auto opened = co_await self.open(std::move(path), options);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  auto closed = co_await opened->close();
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  co_return opened->facts();
}

awaitable<std::expected<void, error>> tree::disconnect() {
  const auto state = state_;
  const tree_disconnect::request request;
  auto got = co_await state->session->connection->call<tree_disconnect>(request, state->options);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (is_failure(tree_disconnect::number, got->status))
    co_return std::unexpected(detail::status_error("TREE_DISCONNECT " + state->path, got->status));
  co_return std::expected<void, error>{};
}

} // namespace smb2
