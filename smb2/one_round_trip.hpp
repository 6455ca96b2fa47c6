#pragma once

#include "smb2/file.hpp"
#include "smb2/info/file.hpp"

/// Whole operations on a file, each as one related compound: CREATE, what there is to do, CLOSE in
/// one frame, where the plain sequence of tree and file waits for two to five answers. The result
/// is the same; so it is where the plain sequence has to do: the server does no compounds (it is
/// asked once a session, see probe()), the data does not fit into one READ or WRITE, or the credits
/// do not suffice. Errors name the part that failed: "WRITE a/b: STATUS_DISK_FULL (no space left)".
/// · source: MS-SMB2 3.2.4.1.4, 3.3.5.2.7.2
namespace smb2::one_round_trip {

/// Whether related compounds work: CREATE of the share's root, QUERY_INFO and CLOSE are tried, once
/// a session; later calls know (session_facts::related_compounds). While the first one is out,
/// others use the plain sequence.
[[nodiscard]] awaitable<std::expected<bool, error>> probe(tree where);

struct read_result {
  u64 bytes = 0; ///< less than `facts.size` where the buffer is smaller
  file_facts facts;
};

/// CREATE, READ, CLOSE. `into` must live until it returns.
[[nodiscard]] awaitable<std::expected<read_result, error>>
read_file(tree where, std::string path, std::span<std::byte> into, transfer_options options = {});

struct write_options {
  transfer_options transfer;
  bool flush = false;                              ///< FLUSH: on stable storage when it returns
  std::optional<file_basic_information> set_basic; ///< SET_INFO of times and attributes
  open_options open = open_options::to_write();
};

/// CREATE, WRITE, FLUSH and SET_INFO where asked for, CLOSE; an empty file takes no WRITE. `data`
/// must live until it returns.
[[nodiscard]] awaitable<std::expected<void, error>>
write_file(tree where, std::string path, bytes data, write_options options = {});

/// CREATE, CLOSE, as the following: CREATE's response tells what there is to know.
[[nodiscard]] awaitable<std::expected<file_facts, error>> stat(tree where, std::string path);
[[nodiscard]] awaitable<std::expected<void, error>> remove(tree where, std::string path);
[[nodiscard]] awaitable<std::expected<void, error>> remove_directory(tree where, std::string path);
[[nodiscard]] awaitable<std::expected<void, error>> make_directory(tree where, std::string path);
/// CREATE, SET_INFO, CLOSE. What is at `to` already stays, and the error says so.
[[nodiscard]] awaitable<std::expected<void, error>> rename(tree where, std::string from,
                                                           std::string to);

} // namespace smb2::one_round_trip
