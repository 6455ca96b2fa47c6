#pragma once

#include "nfs/mount/operations.hpp"
#include "nfs/security.hpp"
#include "rpc/connection.hpp"

#include <string>
#include <vector>

namespace nfs::mount {

using rpc::error;
using wire::net::awaitable;

/// The root of an export, or a directory in it that the server lets us mount.
struct mounted {
  file_handle root;
  std::string path;  ///< what was mounted: a leading part of what was asked for
  std::string below; ///< what is left to be looked up, without a slash in front; may be empty
};

/// MOUNT calls to one server over one connection.
class client {
 public:
  explicit client(rpc::connection c) noexcept : connection_(std::move(c)) {}

  [[nodiscard]] static awaitable<std::expected<client, error>>
  connect(wire::net::connect_options where, rpc::connection_options options);

  /// Mounts the longest leading part of `path` that the server takes. Its error names the server's
  /// answer for the whole path and what the server offers. Refused: exports that the server does
  /// not offer with `sec`. MOUNT itself needs no more than AUTH_SYS for it (RFC 2623 section 2.7).
  [[nodiscard]] awaitable<std::expected<mounted, error>> mount(std::string path,
                                                               security sec = security::sys);

  /// Forgets the mount in the server's list; a courtesy, nothing depends on it.
  [[nodiscard]] awaitable<std::expected<void, error>> unmount(std::string path);

  /// The directories that the server offers.
  [[nodiscard]] awaitable<std::expected<std::vector<std::string>, error>> exports();

  [[nodiscard]] rpc::connection& raw() noexcept { return connection_; }

 private:
  [[nodiscard]] awaitable<error> refusal(std::string path, mountstat3 status);

  rpc::connection connection_;
};

} // namespace nfs::mount
