#include "profiler/capture/live.hpp"

#include "profiler/capture/capture_reader.hpp"
#include "profiler/capture/route.hpp"
#include "profiler/net/dispatcher.hpp"
#include "tests/support/pcap_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using profiler::capture::interface_towards;
using profiler::capture::live_capture;
using testing::HasSubstr;

/// A datagram socket on the loopback that talks to itself.
class loopback_socket {
 public:
  loopback_socket() : descriptor_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    ok_ = ::bind(descriptor_, generic, length) == 0 &&
          ::getsockname(descriptor_, generic, &length) == 0 &&
          ::connect(descriptor_, generic, length) == 0;
    port_ = ntohs(address.sin_port);
  }
  loopback_socket(const loopback_socket&) = delete;
  loopback_socket& operator=(const loopback_socket&) = delete;
  ~loopback_socket() { ::close(descriptor_); }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] int port() const { return port_; }
  void send(std::size_t n) const {
    const auto data = support::pattern(n);
    (void)!::send(descriptor_, data.data(), data.size(), 0);
  }

 private:
  int descriptor_;
  bool ok_ = false;
  int port_ = 0;
};

TEST(Route, GoesOverTheLoopbackToThisHost) {
  EXPECT_EQ(interface_towards("127.0.0.1").value_or("none"), "lo");
  EXPECT_EQ(interface_towards("localhost").error(), "localhost is no IP address.");
}

TEST(LiveCapture, HasEveryPacketBetweenStartAndStop) {
  const loopback_socket socket;
  if (!socket.ok()) GTEST_SKIP() << "no loopback";
  const support::temporary_file file({});
  auto live = live_capture::start(
      {.interface = "lo", .filter = "udp port " + std::to_string(socket.port())}, file.path());
  if (!live) {
    EXPECT_THAT(live.error(), HasSubstr("needs root"));
    GTEST_SKIP() << live.error();
  }

  for (std::size_t i = 1; i <= 200; ++i)
    socket.send(i);
  const auto result = live->stop();

  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->packets, 200u);
  EXPECT_EQ(result->dropped, 0u);
  auto reader = profiler::capture::capture_reader::open(file.path());
  ASSERT_TRUE(reader) << reader.error();
  profiler::packet p;
  for (std::size_t i = 1; i <= 200; ++i) {
    ASSERT_TRUE(reader->next(p));
    EXPECT_EQ(p.wire_length, 14 + 20 + 8 + i);
  }
  EXPECT_FALSE(reader->next(p));
}

TEST(LiveCapture, SaysWhyItCannotStart) {
  const support::temporary_file file({});
  const auto nowhere = live_capture::start({.interface = "no-such-if"}, file.path());
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error(), testing::AnyOf(HasSubstr("There is no interface no-such-if"),
                                              HasSubstr("needs root")));

  const auto filter =
      live_capture::start({.interface = "lo", .filter = "no such filter"}, file.path());
  ASSERT_FALSE(filter);
  EXPECT_THAT(filter.error(), testing::AnyOf(HasSubstr("\"no such filter\" is not understood"),
                                             HasSubstr("needs root")));
}

} // namespace
