#pragma once

#include "smb2/file.hpp"

/// CREATE with all that open_options may ask for; for users: tree::open() and smb2/durable.hpp.
namespace smb2::detail {

class hold_table;
struct hold;

/// What a file is known by when it is opened again.
struct file_identity {
  u64 index_number = 0; ///< of durable ones; 0: the server does not say
  filetime created = 0;
};

/// An open, beyond its FileId; the copies of a file share it.
struct open_state {
  open_options options;
  std::shared_ptr<hold> held; ///< none: no oplock and no lease
  std::shared_ptr<hold_table> table;
  durable_grant durable;
  file_identity identity;

  /// The open is gone, so its oplock is; a lease may live on in other opens.
  void let_go();
};

/// How it is opened.
struct open_how {
  const file* lost = nullptr; ///< a durable open, to be opened again
  bool replay = false;        ///< it was asked for before, under the same CreateGuid
};

/// What is not said, but follows from what is: a durable open has a CreateGuid, and so on. Once is
/// enough: a CREATE that is sent again must be the same.
void complete(open_options& options);

/// FileInternalInformation; 0: the server does not say.
[[nodiscard]] awaitable<u64> index_number_of(file opened);

/// Rounded down; what does not fit is the most that does.
[[nodiscard]] u32 to_milliseconds(nanos t);

/// Errors: those of CREATE; unsupported: a lease or a durable open on 2.0.2.
[[nodiscard]] awaitable<std::expected<file, error>>
open_file(std::shared_ptr<tree_state> tree, std::string path, open_options options, open_how how);

} // namespace smb2::detail
