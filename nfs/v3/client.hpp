#pragma once

#include "nfs/connecting.hpp"
#include "nfs/url.hpp"
#include "nfs/v3/operations.hpp"
#include "rpc/connection.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nfs::v3 {

using rpc::error;
using wire::nanos;
using wire::net::awaitable;

template <class T>
using result = awaitable<std::expected<T, error>>;

struct client_settings {
  nanos timeout = std::chrono::seconds(60);         ///< of each call
  nanos connect_timeout = std::chrono::seconds(10); ///< of each connection
  wire::exchange_sink* sink = nullptr;              ///< sees every call, MOUNT's and rpcbind's too
  /// What sec=krb5… takes: rpc::krb5_source("nfs"), from the library rpc_krb5.
  rpc::gss_source_of_server kerberos;
  u32 connection_number = 0; ///< of the NFS connection; MOUNT's is the next, then rpcbind's
};

/// What the server's FSINFO says, within the limits of the URL and our own.
struct transfer_limits {
  u32 rsize = 0;
  u32 wsize = 0;
  u32 dtpref = 0;
  u64 maxfilesize = 0;
};

struct found {
  file_handle handle;
  post_op_attr attributes;
};

struct directory_entry {
  std::string name;
  u64 fileid = 0;
  post_op_attr attributes; ///< of READDIRPLUS, where the server gives them
  post_op_fh3 handle;
};

struct read_options {
  u32 window = 1; ///< READs in flight
};

struct read_result {
  u64 bytes = 0;
  bool eof = false;
};

struct write_options {
  u32 window = 1; ///< WRITEs in flight
  /// Absent: FILE_SYNC when one WRITE takes the data, else UNSTABLE and a COMMIT, as Linux does.
  std::optional<stable_how> stable;
  bool commit = true; ///< COMMIT what the server did not commit by itself
};

struct write_result {
  u64 bytes = 0;
  u32 writes = 0;
  u32 commits = 0;
  u32 resends = 0; ///< times that the server lost data and it was sent again
};

/// An NFSv3 client for one export over one TCP connection, or UDP. It caches nothing: each method
/// is the calls that its name says. Statuses other than NFS3_OK are errors (their code is the
/// nfsstat3), NFS3ERR_JUKEBOX after several tries; call<Op>() gives raw replies, whatever they say.
/// Belongs to one strand; must outlive its calls.
class client {
 public:
  /// rpcbind (for ports that the URL does not give), MOUNT, the NFS connection, the LOOKUPs of what
  /// lies below the export, FSINFO. Binds a reserved port where the system lets it.
  [[nodiscard]] static result<client> connect(url where, client_settings settings);

  /// UMNT and the end of the connection.
  [[nodiscard]] result<void> close();

  /// The directory that the URL names.
  [[nodiscard]] const file_handle& root() const noexcept { return root_; }
  [[nodiscard]] const transfer_limits& limits() const noexcept { return limits_; }
  [[nodiscard]] rpc::connection& connection() noexcept { return connection_; }
  [[nodiscard]] const rpc::connection& connection() const noexcept { return connection_; }
  [[nodiscard]] const url& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& export_path() const noexcept { return export_path_; }

  template <class Op>
  [[nodiscard]] result<rpc::reply<Op>> call(typename Op::args args) {
    return connection_.call<Op>(args);
  }

  /// As call(), but a status that is not NFS3_OK is an error, and JUKEBOX is tried again.
  template <class Op>
  [[nodiscard]] result<rpc::reply<Op>> call_ok(typename Op::args args);

  [[nodiscard]] result<fattr3> getattr(file_handle object);
  [[nodiscard]] result<void> setattr(file_handle object, sattr3 attributes);
  [[nodiscard]] result<u32> access(file_handle object, u32 rights);
  [[nodiscard]] result<std::string> readlink(file_handle symlink);

  /// An empty name and "." give the directory itself.
  [[nodiscard]] result<found> lookup(file_handle dir, std::string name);
  /// Walks "a/b/c" from `dir`, one LOOKUP a part; follows symbolic links except in the last part.
  [[nodiscard]] result<found> walk(file_handle dir, std::string path);

  /// Fills `into` from `offset` until it is full or the file ends; pipelined READs.
  [[nodiscard]] result<read_result> read_file(file_handle file, std::span<std::byte> into,
                                              u64 offset = 0, read_options options = {});
  /// Pipelined WRITEs and a COMMIT; what the server lost in between (another write verifier) is
  /// sent again. `data` must live until it returns.
  [[nodiscard]] result<write_result> write_file(file_handle file, bytes data, u64 offset = 0,
                                                write_options options = {});
  [[nodiscard]] result<writeverf3> commit(file_handle file, u64 offset = 0, u32 count = 0);

  /// Where the server gives no handle, a LOOKUP fetches it.
  [[nodiscard]] result<found> create(file_handle dir, std::string name, sattr3 attributes,
                                     createmode3 mode = createmode3::unchecked);
  [[nodiscard]] result<found> mkdir(file_handle dir, std::string name, sattr3 attributes);
  [[nodiscard]] result<found> symlink(file_handle dir, std::string name, std::string target);
  [[nodiscard]] result<void> remove(file_handle dir, std::string name);
  [[nodiscard]] result<void> rmdir(file_handle dir, std::string name);
  [[nodiscard]] result<void> rename(file_handle from, std::string from_name, file_handle to,
                                    std::string to_name);
  [[nodiscard]] result<void> link(file_handle file, file_handle dir, std::string name);

  /// Without "." and "..". `plus`: READDIRPLUS.
  [[nodiscard]] result<std::vector<directory_entry>> readdir(file_handle dir, bool plus = false);

  [[nodiscard]] result<fsstat::reply> fsstat_of(file_handle root);
  [[nodiscard]] result<fsinfo::reply> fsinfo_of(file_handle root);
  [[nodiscard]] result<pathconf::reply> pathconf_of(file_handle object);

 private:
  client(rpc::connection c, client_settings settings, url where);

  template <class Op>
  [[nodiscard]] result<found> make(typename Op::args args);
  template <class Op>
  [[nodiscard]] result<std::vector<directory_entry>> list(typename Op::args args);
  [[nodiscard]] result<void> set_limits();

  rpc::connection connection_;
  client_settings settings_;
  url where_;
  wire::u16 mount_port_ = 0;
  std::string export_path_;
  file_handle root_;
  transfer_limits limits_;
};

/// "LOOKUP of 'x' on 198.18.1.2:2049: NFS3ERR_NOENT (no such file or directory)"
[[nodiscard]] error status_error(std::string_view operation, std::string_view name,
                                 const rpc::connection& connection, nfsstat3 status);

template <class Op>
result<rpc::reply<Op>> client::call_ok(typename Op::args args) {
  for (u32 tries = 1;; ++tries) {
    auto r = co_await connection_.call<Op>(args);
    if (!r || r->message.status == nfsstat3::ok) co_return r;
    const auto status = r->message.status;
    if (status != nfsstat3::jukebox || tries == delay_tries_max) {
      std::string_view name;
      if constexpr (requires { Op::entry_name(args); }) name = wire::as_text(Op::entry_name(args));
      co_return std::unexpected(status_error(Op::name, name, connection_, status));
    }
    co_await back_off(tries);
  }
}

} // namespace nfs::v3
