#pragma once

#include "smb2/key_sink.hpp"
#include "wire/bytes.hpp"
#include "wire/exchange.hpp"
#include "wire/net/async.hpp"

#include <nlohmann/json_fwd.hpp>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Why something could not be done, as a sentence for the user.
struct failure {
  explicit failure(std::string sentence) : what(std::move(sentence)) {}

  std::string what;
};

template <class T>
using result = std::expected<T, failure>;

[[nodiscard]] failure wrong_length(std::string_view name, std::size_t written, std::size_t came);

struct file_to_write {
  std::string name;
  wire::bytes data; ///< lives until it is written
};

struct file_to_read {
  std::string name;
  std::span<std::byte> into;
};

/// What is sent for one file.
enum class recipe : wire::u8 {
  minimal,  ///< the shortest correct sequence of single operations, each after the answer to the
            ///< last
  compound, ///< all of a file in one compound: SMB2, NFSv4
};

[[nodiscard]] std::string_view name_of(recipe r) noexcept;
[[nodiscard]] std::optional<recipe> recipe_of(std::string_view name) noexcept;

/// What a workload asks of a server: whole files in one folder of its own. Any number of calls may
/// be under way at once. Nothing is cached: a file is looked up or opened again each time.
class file_client {
 public:
  virtual ~file_client() = default;

  /// Makes the folder and works in it from then on. Fails if there is one of that name.
  virtual wire::net::awaitable<result<void>> make_folder(std::string name) = 0;
  /// Removes the folder, which must be empty.
  virtual wire::net::awaitable<result<void>> remove_folder() = 0;
  /// Creates the file; `data` must live until it is done.
  virtual wire::net::awaitable<result<void>> write_file(std::string name, wire::bytes data) = 0;
  /// `into` must be as large as the file; gives the number of bytes read.
  virtual wire::net::awaitable<result<std::size_t>> read_file(std::string name,
                                                              std::span<std::byte> into) = 0;
  virtual wire::net::awaitable<result<void>> remove_file(std::string name) = 0;

  /// Several files, in one message where protocol and recipe allow; here one after the other. The
  /// first failure ends it.
  virtual wire::net::awaitable<result<void>> write_files(std::vector<file_to_write> files);
  /// Each must be as long as its buffer.
  virtual wire::net::awaitable<result<void>> read_files(std::vector<file_to_read> files);
  virtual wire::net::awaitable<result<void>> remove_files(std::vector<std::string> names);
  /// Takes leave of the server (UMNT; TREE_DISCONNECT and LOGOFF).
  virtual wire::net::awaitable<result<void>> close() = 0;

  /// "nfs3" or "smb2"
  [[nodiscard]] virtual std::string protocol() const = 0;
  /// rsize, wsize, dialect, signing, durability…: what a reader needs to compare runs.
  [[nodiscard]] virtual nlohmann::ordered_json settings() const = 0;
  /// How what bounds the requests in flight went (SMB2's credits): JSON for the run; null: nothing.
  [[nodiscard]] virtual nlohmann::ordered_json window_history() const;
  /// What a transport without a memory of its own (UDP) lost and repeated: JSON for the run; null:
  /// the transport sees to it.
  [[nodiscard]] virtual nlohmann::ordered_json datagrams() const;
  /// The smallest round trip that the kernel has seen on the connection (TCP_INFO).
  [[nodiscard]] virtual std::optional<wire::nanos> round_trip_min() const = 0;
  /// Our end of the connection that does the work, to find it in a capture.
  [[nodiscard]] virtual wire::u16 local_port() const = 0;

 protected:
  file_client() = default;
  file_client(const file_client&) = default;
  file_client& operator=(const file_client&) = default;
};

struct target {
  std::string url;
  std::optional<std::string> password; ///< SMB only
  std::optional<wire::u32> rsize;
  std::optional<wire::u32> wsize;
  bench::recipe recipe = bench::recipe::minimal;
  smb2::key_sink* keys = nullptr; ///< SMB only; must outlive the client
};

/// Connects by the URL's scheme (nfs, smb). Every exchange of the client goes to `sink`, which must
/// outlive it.
[[nodiscard]] wire::net::awaitable<result<std::unique_ptr<file_client>>>
connect(target where, wire::exchange_sink* sink);

} // namespace bench
