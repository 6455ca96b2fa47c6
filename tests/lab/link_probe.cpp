// Measures a link with plain TCP, so that what the lab promises can be held against what it does.
//   link_probe serve PORT                      answers both of the others until it is killed
//   link_probe rtt ADDRESS PORT COUNT          one byte there and back: min, p50, p90, p99 in us
//   link_probe goodput ADDRESS PORT SECONDS    payload from here to there, in Mbit/s
// Every answer is one JSON object.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using steady = std::chrono::steady_clock;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// The first byte says what the connection is for: 'e' echoes, 'g' counts and tells at the end.
void serve_connection(int fd) {
  no_delay(fd);
  std::vector<char> buffer(256 * 1024);
  char mode = 0;
  unsigned long long total = 0;
  if (::read(fd, &mode, 1) == 1) {
    for (ssize_t n; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) {
      total += static_cast<unsigned long long>(n);
      if (mode == 'e' && ::write(fd, buffer.data(), static_cast<std::size_t>(n)) != n) break;
    }
    if (mode == 'g') [[maybe_unused]]
      const auto sent = ::write(fd, &total, sizeof total);
  }
  ::close(fd);
}

int serve(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    die("bind");
  if (::listen(listener, 16) != 0) die("listen");
  for (;;) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd >= 0) std::thread{serve_connection, fd}.detach();
  }
}

int connect_to(const char* host, int port, char mode) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, host, &address.sin_addr) != 1) die("address");
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    die("connect");
  no_delay(fd);
  if (::write(fd, &mode, 1) != 1) die("write");
  return fd;
}

int measure_rtt(int fd, int count) {
  std::vector<double> us;
  char byte = 'x';
  for (int i = 0; i < count; ++i) {
    const auto begin = steady::now();
    if (::write(fd, &byte, 1) != 1 || ::read(fd, &byte, 1) != 1) die("echo");
    us.push_back(std::chrono::duration<double, std::micro>(steady::now() - begin).count());
  }
  std::ranges::sort(us);
  const auto at = [&](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  std::printf("{\"count\":%d,\"min_us\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,"
              "\"max_us\":%.1f}\n",
              count, us.front(), at(0.5), at(0.9), at(0.99), us.back());
  return 0;
}

int measure_goodput(int fd, double seconds) {
  const std::vector<char> buffer(256 * 1024, 'w');
  const auto begin = steady::now();
  const auto end = begin + std::chrono::duration<double>(seconds);
  while (steady::now() < end)
    if (::write(fd, buffer.data(), buffer.size()) <= 0) die("write");
  ::shutdown(fd, SHUT_WR);
  unsigned long long total = 0;
  if (::read(fd, &total, sizeof total) != sizeof total) die("result");
  // The clock stops when the last byte has been counted at the other end.
  const double took = std::chrono::duration<double>(steady::now() - begin).count();
  std::array<char, 128> text{};
  tcp_info info{};
  socklen_t length = sizeof info;
  ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length);
  std::snprintf(text.data(), text.size(),
                "{\"bytes\":%llu,\"seconds\":%.3f,\"mbit_per_s\":%.2f,\"retransmits\":%u}\n", total,
                took, static_cast<double>(total) * 8 / took / 1e6, info.tcpi_total_retrans);
  std::fputs(text.data(), stdout);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "serve" && argc == 3) return serve(std::atoi(argv[2]));
  if (command == "rtt" && argc == 5)
    return measure_rtt(connect_to(argv[2], std::atoi(argv[3]), 'e'), std::atoi(argv[4]));
  if (command == "goodput" && argc == 5)
    return measure_goodput(connect_to(argv[2], std::atoi(argv[3]), 'g'), std::atof(argv[4]));
  std::fputs(
      "usage: link_probe serve PORT | rtt ADDRESS PORT COUNT | goodput ADDRESS PORT SECONDS\n",
      stderr);
  return 2;
}
