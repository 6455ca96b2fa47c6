#include "cli/keylog.hpp"

#include "wire/hex.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cli {

namespace {

constexpr std::size_t session_key_bytes_max = 16;

/// Wireshark takes no more than 16 bytes, and derives from them even where it is given the keys of
/// each direction. Of a longer one, Kerberos', AES-256 needs all of it: then only those will do.
smb2::bytes session_key_for_others(const smb2::session_secrets& secrets) {
  if (secrets.session_key.size() <= session_key_bytes_max) return secrets.session_key;
  if (secrets.to_client.size() > session_key_bytes_max) return {};
  return secrets.session_key.first(session_key_bytes_max);
}

class keylog final : public smb2::key_sink {
 public:
  explicit keylog(int file) : file_(file) {}
  keylog(const keylog&) = delete;
  keylog& operator=(const keylog&) = delete;
  ~keylog() override { ::close(file_); }

  void on_session_keys(const smb2::session_secrets& secrets) override {
    std::array<std::byte, 8> id;
    wire::store_le(id.data(), secrets.session_id);
    const auto session_key = session_key_for_others(secrets);
    const auto line = fmt::format("{},{},{},{}\n", wire::to_hex(id), wire::to_hex(session_key),
                                  wire::to_hex(secrets.to_client), wire::to_hex(secrets.to_server));
    // One write a line: several processes may append to the same file.
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      fmt::print(stderr, "wiretrip: the keys of a session could not be written: {}\n",
                 std::strerror(errno));
  }

 private:
  int file_;
};

} // namespace

std::expected<std::unique_ptr<smb2::key_sink>, std::string> open_keylog(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  return std::make_unique<keylog>(file);
}

} // namespace cli
