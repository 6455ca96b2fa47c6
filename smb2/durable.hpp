#pragma once

#include "smb2/file.hpp"

/// Opens that outlive their connection. open_options::durable asks for one; when the connection is
/// lost, a session that takes the place of the old one opens it again, and only if it is the same
/// file. durable_file does all of that on its own.
/// · source: MS-SMB2 2.2.13.2.3, 2.2.13.2.4, 2.2.13.2.11, 2.2.13.2.12, 3.2.4.4, 3.2.7.1
namespace smb2 {

/// How to open a session that takes the place of `lost`: the same client and user in the same
/// dialect. The server ends the old one, if it has not noticed yet that its connection is gone.
[[nodiscard]] session_options replacement_of(const session& lost);

/// Opens again, in a tree of the new session, what the lost connection had open; locks, oplock and
/// lease are kept. `lost` is not to be used any more.
/// Errors: errc::unsupported: it is not durable. STATUS_OBJECT_NAME_NOT_FOUND and others: the
/// server does not give it back. errc::other_file: what it gives back is another file, or the file
/// was replaced (FileId, index number and creation time are compared).
[[nodiscard]] awaitable<std::expected<file, error>> reopen(tree where, file lost);

/// FSCTL_LMR_REQUEST_RESILIENCY: the open outlives its connection without an oplock or a lease, for
/// `timeout` (0: the server's choice). · units: sent in ms
/// Errors: STATUS_NOT_SUPPORTED, STATUS_INVALID_DEVICE_REQUEST: the server has no such opens.
/// · source: MS-SMB2 2.2.31.3, 3.2.4.20.8
[[nodiscard]] awaitable<std::expected<void, error>> request_resiliency(file where, nanos timeout);

/// How hard a durable_file tries to come back.
struct comeback {
  u32 attempts = 8;                             ///< connections that are tried after a loss
  nanos pause = std::chrono::milliseconds(100); ///< behind the first; doubled behind each other
};

struct comeback_counters {
  u32 lost = 0; ///< connections
  u32 comebacks = 0;
  u64 written_again = 0; ///< bytes whose outcome had been unknown
};

/// A file that goes on when its connection is lost: with a new connection and session, the open
/// given back and checked. READ, FLUSH and WRITE (the same data at the same offset) are repeated;
/// until the end nothing counts as written that the server did not say. Belongs to one strand.
class durable_file {
 public:
  /// Opens a session, the share and the file; a CREATE that is lost on 3.x is replayed under its
  /// CreateGuid. `how.durable` is asked for in any case.
  /// Errors: errc::unsupported: the server does not make it durable.
  [[nodiscard]] static awaitable<std::expected<durable_file, error>>
  open(session_options options, std::string share, std::string path, open_options how,
       comeback tries = {});

  /// As file has them. When there is no way back, the error says why, and
  /// transfer_options::report what is written, what unknown and what untouched.
  [[nodiscard]] awaitable<std::expected<u64, error>> read(u64 offset, std::span<std::byte> into,
                                                          transfer_options options = {});
  [[nodiscard]] awaitable<std::expected<void, error>> write(u64 offset, bytes data,
                                                            transfer_options options = {});
  [[nodiscard]] awaitable<std::expected<void, error>> flush();
  [[nodiscard]] awaitable<std::expected<void, error>> close();

  /// The file as it is open now; the next loss makes another one.
  [[nodiscard]] const file& current() const noexcept;
  [[nodiscard]] session of_session() const noexcept;
  [[nodiscard]] const comeback_counters& counters() const noexcept;
  /// What the connection that was lost last had not answered.
  [[nodiscard]] std::span<const unanswered_call> unanswered() const noexcept;

 private:
  struct state;
  explicit durable_file(std::shared_ptr<state> s) : state_(std::move(s)) {}

  static awaitable<std::expected<void, error>> first_open(std::shared_ptr<state> s);
  static awaitable<std::expected<tree, error>> enter(std::shared_ptr<state> s);
  static awaitable<std::expected<void, error>> come_back(std::shared_ptr<state> s);
  static awaitable<std::expected<void, error>> try_to_come_back(std::shared_ptr<state> s);

  std::shared_ptr<state> state_;
};

} // namespace smb2
