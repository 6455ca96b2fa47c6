#include "smb2/notify.hpp"

#include "smb2/info/names.hpp"

#include <fmt/format.h>

namespace smb2 {

awaitable<std::expected<directory_changes, error>> wait_for_changes(file directory,
                                                                    notify_options options) {
  const auto tree = directory.tree();
  change_notify::request request;
  request.flags = options.watch_tree ? change_notify::flag_watch_tree : u16{0};
  request.output_buffer_length = options.buffer_bytes;
  request.file = directory.id();
  request.completion_filter = options.filter;
  auto how = tree->options;
  how.timeout = options.timeout;
  auto got = co_await tree->session->connection->call<change_notify>(request, how);
  if (!got) co_return std::unexpected(std::move(got.error()));
  directory_changes out;
  out.rescan = got->status == status::notify_enum_dir;
  out.closed = got->status == status::notify_cleanup;
  if (out.rescan || out.closed) co_return out;
  if (got->status != status::success)
    co_return std::unexpected(
        detail::status_error("CHANGE_NOTIFY " + directory.path(), got->status));
  entry_walker<file_notify_information> walk(got->message.buffer);
  while (const auto one = walk.next())
    out.changes.push_back({one->action, one->file_name.text()});
  // Nothing at all stands for more than fits, too (MS-SMB2 3.2.5.15).
  out.rescan = out.changes.empty();
  if (!walk.ok()) {
    error e;
    e.code = errc::bad_response;
    e.text = fmt::format("CHANGE_NOTIFY {}: {}", directory.path(), describe(walk.error()));
    co_return std::unexpected(std::move(e));
  }
  co_return out;
}

} // namespace smb2
