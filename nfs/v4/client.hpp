#pragma once

#include "nfs/v4/attributes.hpp"
#include "nfs/v4/session.hpp"

#include <span>

namespace nfs::v4 {

/// Bytes of one READ and one WRITE: what the server's attributes, the session's messages and the
/// URL allow.
struct transfer_limits {
  u32 rsize = 0;
  u32 wsize = 0;
  u32 lease_s = 0; ///< seconds that the server keeps our state without hearing from us
};

struct file_facts {
  ftype type = ftype::reg;
  u64 size = 0;
  u64 fileid = 0;
  u64 change = 0;
  u32 mode = 0;
  nfstime modified;
};

struct found {
  file_handle handle;
  file_facts facts;
};

struct directory_entry {
  std::string name;
  file_facts facts;
};

/// A file that the server has open for us.
struct open_file {
  file_handle handle;
  v4::stateid stateid;
  file_facts facts;
};

struct read_result {
  u64 bytes = 0;
  bool eof = false; ///< the file ends there
};

struct file_to_write {
  std::string name;
  bytes data;
};

struct file_to_read {
  std::string name;
  std::span<std::byte> into;
};

/// An NFSv4.1 or 4.2 client for one folder of a server. It caches nothing: each method is the
/// compounds that its comment names, behind SEQUENCE and PUTFH. NFS4ERR_DELAY is tried again.
/// session().call() takes any other compound. Any number of calls may be under way at once.
/// Belongs to one strand; must outlive its calls.
class client {
 public:
  /// The session, and PUTROOTFH with a LOOKUP for each part of the URL's path, GETFH, GETATTR.
  [[nodiscard]] static result<client> connect(url where, session_settings settings);
  [[nodiscard]] result<void> close() { return session_.close(); }

  /// The folder that the URL names.
  [[nodiscard]] const file_handle& root() const noexcept { return root_; }
  [[nodiscard]] const transfer_limits& limits() const noexcept { return limits_; }
  [[nodiscard]] v4::session& session() noexcept { return session_; }
  [[nodiscard]] const v4::session& session() const noexcept { return session_; }

  /// LOOKUP, GETFH, GETATTR.
  [[nodiscard]] result<found> lookup(file_handle folder, std::string name);
  /// GETATTR.
  [[nodiscard]] result<file_facts> getattr(file_handle object);
  /// CREATE, GETFH.
  [[nodiscard]] result<file_handle> mkdir(file_handle folder, std::string name, u32 mode);
  [[nodiscard]] result<file_handle> symlink(file_handle folder, std::string name,
                                            std::string target);
  /// READLINK.
  [[nodiscard]] result<std::string> readlink(file_handle link);
  /// REMOVE: a file or an empty folder.
  [[nodiscard]] result<void> remove(file_handle folder, std::string name);
  /// SAVEFH, PUTFH, RENAME.
  [[nodiscard]] result<void> rename(file_handle from, std::string name, file_handle to,
                                    std::string new_name);
  /// SAVEFH, PUTFH, LINK.
  [[nodiscard]] result<void> link(file_handle file, file_handle folder, std::string name);
  /// As many READDIRs as it takes.
  [[nodiscard]] result<std::vector<directory_entry>> readdir(file_handle folder);

  /// OPEN to be read, GETFH, GETATTR.
  [[nodiscard]] result<open_file> open(file_handle folder, std::string name);
  /// OPEN that makes the file or empties it, to be written, GETFH, GETATTR.
  [[nodiscard]] result<open_file> create(file_handle folder, std::string name, u32 mode);
  /// READs one after the other until `into` is full or the file ends.
  [[nodiscard]] result<u64> read(open_file file, u64 offset, std::span<std::byte> into);
  /// WRITEs one after the other; FILE_SYNC where one takes it, else UNSTABLE and COMMIT, and all
  /// again when the server lost some in between (another verifier). `data` must live until then.
  [[nodiscard]] result<void> write(open_file file, u64 offset, bytes data);
  [[nodiscard]] result<void> close(open_file file);

  /// A file in one COMPOUND: OPEN, READ, CLOSE on the current stateid (RFC 8881 section
  /// 16.2.3.1.2). What does not fit into one READ is read by open(), read(), close().
  [[nodiscard]] result<read_result> read_file(file_handle folder, std::string name,
                                              std::span<std::byte> into);
  /// OPEN that makes it or empties it, WRITE (FILE_SYNC), CLOSE; likewise.
  [[nodiscard]] result<void> write_file(file_handle folder, std::string name, u32 mode, bytes data);

  /// The same of several files of a folder, as many in a COMPOUND as the session's operations and
  /// message sizes allow. A result for each file, in their order: one that fails stops no other.
  /// What `files` view must live until it returns.
  [[nodiscard]] awaitable<std::vector<std::expected<read_result, error>>>
  read_files(file_handle folder, std::vector<file_to_read> files);
  [[nodiscard]] awaitable<std::vector<std::expected<void, error>>>
  write_files(file_handle folder, u32 mode, std::vector<file_to_write> files);
  /// REMOVEs of one folder.
  [[nodiscard]] awaitable<std::vector<std::expected<void, error>>>
  remove_files(file_handle folder, std::vector<std::string> names);

 private:
  client(v4::session s, std::string owner) : session_(std::move(s)), owner_(std::move(owner)) {}

  /// NFS4ERR_DELAY of whichever operation: the compound is sent again.
  [[nodiscard]] result<compound_results> call(const compound& what);
  [[nodiscard]] result<void> find_root(std::string path);
  /// Without the name. `make`: a file that is new or emptied, with those attributes.
  [[nodiscard]] v4::open::args open_args(bool make, const fattr& attributes) const;
  [[nodiscard]] result<open_file> open_with(file_handle folder, std::string name, bool make,
                                            u32 mode);
  [[nodiscard]] result<void> write_once(open_file file, u64 offset, bytes data, bool& lost);
  [[nodiscard]] result<file_handle> make(file_handle folder, create::args args);
  /// Many files in as few compounds as the server takes; a Job knows what is done to each.
  template <class Job>
  [[nodiscard]] awaitable<std::vector<std::expected<typename Job::value, error>>>
  in_compounds(file_handle folder, Job job);
  /// A file whose compound stopped between OPEN and CLOSE.
  [[nodiscard]] awaitable<void> close_left_open(file_handle folder, std::string name,
                                                v4::stateid stateid);

  v4::session session_;
  std::string owner_; ///< of all our OPENs
  file_handle root_;
  transfer_limits limits_;
  u32 operations_max_ = ~u32{0}; ///< of one COMPOUND, as the server has shown
};

} // namespace nfs::v4
