#pragma once

#include "bench/lab/link/file_descriptor.hpp"

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include <poll.h>

namespace bench::lab::link {

/// The relay's door: a Unix socket (SOCK_SEQPACKET) that takes one request per message, "status" or
/// "set KEY VALUE [KEY VALUE...]", and answers each with one JSON object. A peer can not block the
/// relay: all descriptors are non-blocking, at most `connection_limit` are open, a request longer
/// than `message_limit_bytes` ends its connection.
class control_server {
 public:
  static constexpr std::size_t connection_limit = 8;
  static constexpr std::size_t message_limit_bytes = 4096;

  using handler = std::function<std::string(const std::string& request)>;

  /// A socket file that nobody answers on is replaced; one that is answered is an error.
  [[nodiscard]] static std::expected<control_server, std::string> open(const std::string& path);
  control_server(control_server&&) noexcept = default;
  control_server& operator=(control_server&&) noexcept = default;
  ~control_server();

  void add_to(std::vector<pollfd>& fds) const;
  void serve(const handler& handle);

 private:
  explicit control_server(std::string path) : path_{std::move(path)} {}
  [[nodiscard]] static bool serve_one(int fd, const handler& handle);

  std::string path_;
  file_descriptor listener_;
  std::vector<file_descriptor> connections_;
};

/// The client's side: one request, one answer. The error is a sentence for people.
[[nodiscard]] std::expected<std::string, std::string> ask(const std::string& path,
                                                          const std::string& request);

} // namespace bench::lab::link
