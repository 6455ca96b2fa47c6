#pragma once

#include "smb2/info/directory.hpp"
#include "smb2/info/file.hpp"
#include "smb2/info/filesystem.hpp"
#include "smb2/oplocks.hpp"
#include "smb2/tree.hpp"

#include <functional>

namespace smb2 {

/// The open is to outlive its connection: as DHnQ on 2.1, as DH2Q on 3.x. smb2/durable.hpp opens it
/// again. Servers grant it with a batch oplock or a lease for handle caching only; where neither is
/// asked for, a batch oplock is.
struct durable_request {
  nanos timeout{};         ///< how long the server keeps it; 0: the server's choice; 3.x
  bool persistent = false; ///< outlives the server, too; asked for where the share has it; 3.x
  guid create_guid{};      ///< all zero: a new one; 3.x
};

/// How an open outlives its connection.
struct durable_grant {
  bool durable = false;
  bool persistent = false;
  bool second_version = false; ///< of 3.x: found by its CreateGuid
  nanos timeout{};             ///< 0: the server does not say
  guid create_guid{};
};

struct open_options {
  u32 access = access::read_data | access::read_attributes;
  create_disposition disposition = create_disposition::open;
  u32 create_options = create_option::non_directory_file;
  u32 attributes = 0;
  u32 share = share_access::all;
  u8 oplock_level = oplock::none;     ///< asked for
  std::optional<lease_request> lease; ///< asked for instead; 2.1 and later
  break_answer on_break = break_answer::at_once;
  std::optional<durable_request> durable; ///< 2.1 and later

  /// An existing file, to be read.
  [[nodiscard]] static open_options to_read() noexcept { return {}; }
  /// A file that is new or emptied, to be written.
  [[nodiscard]] static open_options to_write() noexcept {
    open_options out;
    out.access = access::write_data | access::read_attributes | access::write_attributes;
    out.disposition = create_disposition::overwrite_if;
    return out;
  }
  /// What goes away when it is closed; `kind`: create_option::non_directory_file or directory_file.
  [[nodiscard]] static open_options to_remove(u32 kind) noexcept {
    open_options out;
    out.access = access::remove;
    out.create_options = kind | create_option::delete_on_close | create_option::open_reparse_point;
    return out;
  }
  /// A file or folder that gets another name.
  [[nodiscard]] static open_options to_rename() noexcept {
    open_options out;
    out.access = access::remove | access::read_attributes;
    out.create_options = 0;
    return out;
  }
  /// A folder that is not there yet.
  [[nodiscard]] static open_options to_make_directory() noexcept {
    open_options out;
    out.access = access::read_attributes;
    out.disposition = create_disposition::create;
    out.create_options = create_option::directory_file;
    out.attributes = attribute::directory;
    return out;
  }
  /// Whatever is there, for what CREATE says about it.
  [[nodiscard]] static open_options to_stat() noexcept {
    open_options out;
    out.access = access::read_attributes;
    out.create_options = 0;
    return out;
  }
};

/// · units: ns since the Unix epoch, bytes.
struct file_facts {
  nanos created{};
  nanos accessed{};
  nanos written{};
  nanos changed{};
  u64 size = 0;
  u64 allocated = 0;
  u32 attributes = 0;

  [[nodiscard]] bool is_directory() const noexcept {
    return (attributes & attribute::directory) != 0;
  }
};

namespace detail {

[[nodiscard]] create::request create_request(const open_options& options, utf16_view name);
[[nodiscard]] file_facts facts_of(const create::response& m);

} // namespace detail

struct directory_entry {
  std::string name;
  u64 file_id = 0; ///< the server's number of it
  file_facts facts;
};

/// Bytes of a file from `offset` up to `end`.
struct byte_range {
  u64 offset = 0;
  u64 end = 0;

  [[nodiscard]] u64 size() const noexcept { return end - offset; }
  friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// What became of the bytes of a transfer: each is in one of the three. In order, and joined.
struct transfer_report {
  std::vector<byte_range> moved;     ///< the server said so
  std::vector<byte_range> unknown;   ///< sent, and never answered: written or not
  std::vector<byte_range> untouched; ///< never sent, refused, or behind the end of the file
};

/// How file data is cut and how much of it is on its way at once; 0: a good choice for the session.
struct transfer_options {
  u32 chunk_bytes = 0;        ///< of each READ or WRITE; never above what the server takes
  u32 window_bytes = 0;       ///< in flight on each connection; credits may allow less
  bool write_through = false; ///< each WRITE is stable when it is answered
  /// Filled when the transfer ends, however it ends; must live until then.
  transfer_report* report = nullptr;
};

/// Takes file data in order as it comes, and says whether it wants more.
using chunk_taker = std::move_only_function<bool(bytes data)>;
/// Puts the next file data to `room` and says how much; less than there is room for only at the
/// end.
using chunk_filler = std::move_only_function<std::size_t(std::span<std::byte> room)>;

namespace detail {
struct open_state;
}

/// An open file or directory. Belongs to one strand. It is not closed by going out of scope (that
/// takes a round trip): who does not close() it leaves that to the end of the session.
class file {
 public:
  file(std::shared_ptr<detail::tree_state> tree, std::string path, fileid id, file_facts facts,
       std::shared_ptr<detail::open_state> open)
      : tree_(std::move(tree)), path_(std::move(path)), id_(id), facts_(facts),
        open_(std::move(open)) {}

  /// Reads up to `into.size()` bytes; fewer only at the end of the file. In one READ or in a window
  /// of many. `into` must live until it returns.
  [[nodiscard]] awaitable<std::expected<u64, error>> read(u64 offset, std::span<std::byte> into,
                                                          transfer_options options = {});

  /// Writes all of it. `data` is not copied and must live until it returns.
  [[nodiscard]] awaitable<std::expected<void, error>> write(u64 offset, bytes data,
                                                            transfer_options options = {});

  /// Reads up to `size` bytes through a window that is all of them that is in memory. Returns how
  /// many were taken: fewer at the end of the file, or when `take` wanted no more. What comes
  /// behind a failed READ is not taken.
  [[nodiscard]] awaitable<std::expected<u64, error>>
  read_stream(u64 offset, u64 size, chunk_taker take, transfer_options options = {});

  /// Writes what `fill` gives, up to `size` bytes, in the same way. Returns how many were written.
  /// When the session expires in between it fails: the data is gone.
  [[nodiscard]] awaitable<std::expected<u64, error>>
  write_stream(u64 offset, u64 size, chunk_filler fill, transfer_options options = {});

  [[nodiscard]] awaitable<std::expected<void, error>> flush();
  [[nodiscard]] awaitable<std::expected<void, error>> close();

  /// Info is one of the structs of smb2/info/file.hpp that view no bytes.
  template <class Info>
  [[nodiscard]] awaitable<std::expected<Info, error>> query() {
    return query_class<Info>(info_type::file);
  }
  template <class Info>
  [[nodiscard]] awaitable<std::expected<Info, error>> query_filesystem() {
    return query_class<Info>(info_type::filesystem);
  }
  template <class Info>
  [[nodiscard]] awaitable<std::expected<void, error>> set(const Info& info) {
    return set_class(Info::info_class, encode_buffer(info));
  }

  /// The next entries of a directory; none at its end.
  [[nodiscard]] awaitable<std::expected<std::vector<directory_entry>, error>> next_entries();

  /// The oplock or lease that it holds now.
  [[nodiscard]] const cache_grant& grant() const noexcept;
  /// How it outlives its connection.
  [[nodiscard]] const durable_grant& durable() const noexcept;

  /// Waits until the server takes the oplock or the lease back, and tells the breaks one by one,
  /// each once; opens under one lease share them. · timeout: 0: none Errors: connection_lost,
  /// timed_out, cancelled; unsupported: there is nothing to be broken.
  [[nodiscard]] awaitable<std::expected<cache_break, error>> next_break(nanos timeout = {});
  /// Answers a break with what it leaves, unless break_answer::at_once has.
  /// Errors: STATUS_UNSUCCESSFUL or STATUS_INVALID_DEVICE_STATE: the server waits for nothing.
  [[nodiscard]] awaitable<std::expected<void, error>> acknowledge(cache_break broken);

  /// As CREATE said it when the file was opened.
  [[nodiscard]] const file_facts& facts() const noexcept { return facts_; }
  [[nodiscard]] const fileid& id() const noexcept { return id_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// For operations that have a file of their own: directory, locks, notify, server_copy, ...
  [[nodiscard]] const std::shared_ptr<detail::tree_state>& tree() const noexcept { return tree_; }
  /// The same open by way of another channel of its session.
  [[nodiscard]] file in(std::shared_ptr<detail::tree_state> channel) const {
    return {std::move(channel), path_, id_, facts_, open_};
  }
  [[nodiscard]] const std::shared_ptr<detail::open_state>& open_state() const noexcept {
    return open_;
  }

 private:
  template <class Info>
  awaitable<std::expected<Info, error>> query_class(info_type type);
  awaitable<std::expected<reply<query_info>, error>> query_bytes(info_type type, u8 info_class);
  awaitable<std::expected<void, error>> set_class(u8 info_class, std::vector<std::byte> buffer);
  [[nodiscard]] error wrong_info(const wire::decode_error& problem) const;

  std::shared_ptr<detail::tree_state> tree_;
  std::string path_;
  fileid id_;
  file_facts facts_;
  std::shared_ptr<detail::open_state> open_;
};

template <class Info>
awaitable<std::expected<Info, error>> file::query_class(info_type type) {
  static_assert(std::is_trivially_copyable_v<Info>);
  auto got = co_await query_bytes(type, Info::info_class);
  if (!got) co_return std::unexpected(std::move(got.error()));
  auto info = decode_buffer<Info>(got->message.buffer);
  if (!info) co_return std::unexpected(wrong_info(info.error()));
  co_return std::move(*info);
}

} // namespace smb2
