#include "cli/credentials.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace cli {

namespace {

std::expected<std::string, std::string> from_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0)
    return std::unexpected(fmt::format("credentials {}: {}", path, std::strerror(errno)));
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return std::unexpected(
        fmt::format("credentials {}: others can read it; run chmod 600 on it", path));
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto key = line.find_first_not_of(" \t");
    if (key == std::string::npos || line.compare(key, 9, "password=") != 0) continue;
    return line.substr(key + 9);
  }
  return std::unexpected(fmt::format("credentials {}: no line 'password=…'", path));
}

/// Turns the echo off while somebody types.
class silent_terminal {
 public:
  silent_terminal() {
    tcgetattr(STDIN_FILENO, &before_);
    auto silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  silent_terminal(const silent_terminal&) = delete;
  silent_terminal& operator=(const silent_terminal&) = delete;
  ~silent_terminal() { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }

 private:
  termios before_{};
};

} // namespace

std::expected<std::string, std::string> find_password(const std::string& credentials_file) {
  if (!credentials_file.empty()) return from_file(credentials_file);
  if (const char* given = std::getenv("WIRETRIP_PASSWORD")) return std::string(given);
  if (isatty(STDIN_FILENO) == 0)
    return std::unexpected("no password: set WIRETRIP_PASSWORD or give --credentials FILE");
  std::cerr << "Password: " << std::flush;
  std::string typed;
  {
    const silent_terminal quiet;
    std::getline(std::cin, typed);
  }
  std::cerr << '\n';
  return typed;
}

} // namespace cli
