#pragma once

#include "smb2/file.hpp"

namespace smb2 {

struct notify_options {
  u32 filter = notify_filter::file_name | notify_filter::dir_name | notify_filter::attributes |
               notify_filter::size | notify_filter::last_write;
  bool watch_tree = false;   ///< what lies below the directory's directories, too
  u32 buffer_bytes = 65'536; ///< changes that do not fit are lost, see directory_changes
  nanos timeout{};           ///< 0: the connection's; then the call is given up with CANCEL
};

struct directory_change {
  u32 action = 0;   ///< see notify_action
  std::string name; ///< relative to the directory, with backslashes

  friend bool operator==(const directory_change&, const directory_change&) = default;
};

struct directory_changes {
  std::vector<directory_change> changes;
  bool rescan = false; ///< STATUS_NOTIFY_ENUM_DIR: more has changed than can be told
  bool closed = false; ///< STATUS_NOTIFY_CLEANUP: the directory's handle is closed
};

/// Waits for changes of an open directory. The server collects from the first call on: what happens
/// between two calls comes with the second. · errors: timed_out when nothing happened.
/// · source: MS-SMB2 3.2.4.18, 3.3.5.19
[[nodiscard]] awaitable<std::expected<directory_changes, error>>
wait_for_changes(file directory, notify_options options = {});

} // namespace smb2
