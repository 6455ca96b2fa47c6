#include "profiler/flow/dispatcher.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/smb2_messages.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using profiler::flow::service;
using profiler::flow::service_of_content;
using support::analyse;
using support::tcp_talk;
using support::v4;

const auto client = v4(198, 18, 1, 1, 741);

TEST(Dispatcher, KnowsServicesByTheirFirstMessage) {
  EXPECT_EQ(service_of_content(support::getattr_call(1, 2)), service::rpc);
  EXPECT_EQ(service_of_content(support::smb2_frame(support::smb2_request<smb2::echo>(1, {}))),
            service::smb2);
  EXPECT_EQ(service_of_content(wire::as_bytes("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")),
            service::unknown);
  EXPECT_EQ(service_of_content({}), service::unknown);
}

TEST(Dispatcher, FindsNfsOnAPortThatIsNotItsOwn) {
  tcp_talk talk(client, v4(198, 18, 1, 2, 12'049));
  talk.handshake();
  talk.to_server(support::getattr_call(1, 3)).wait(1ms).to_client(support::getattr_reply(1));
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  EXPECT_EQ(analyse(talk.frames).result.seen.timed, 2u);
}

TEST(Dispatcher, DoesAsItIsToldOfAPort) {
  tcp_talk talk(client, v4(198, 18, 1, 2, 12'049));
  // Joined behind more foreign bytes than are looked at.
  for (int i = 0; i < 20; ++i)
    talk.to_client(support::pattern(500)).wait(1ms);
  talk.to_server(support::getattr_call(1, 3)).wait(1ms).to_client(support::getattr_reply(1));

  EXPECT_EQ(analyse(talk.frames).result.seen.calls, 0u);
  EXPECT_EQ(analyse(talk.frames, {.ports = {{12'049, service::rpc}}}).result.seen.calls, 1u);
  EXPECT_EQ(analyse(talk.frames, {.ports = {{12'049, service::smb2}}}).result.seen.calls, 0u);
}

TEST(Dispatcher, ReadsWhatIsToldOfAPort) {
  using profiler::flow::parse_port_service;
  EXPECT_EQ(parse_port_service("2050=nfs")->second, service::rpc);
  EXPECT_EQ(parse_port_service("65535=smb2")->first, 65'535);
  for (const auto* wrong :
       {"", "2050", "=nfs", "0=nfs", "65536=nfs", "x=nfs", "2050=http", "20 =nfs"})
    EXPECT_FALSE(parse_port_service(wrong)) << wrong;
}

TEST(Dispatcher, KeepsTheCoverageOfEachConnection) {
  std::vector<support::timed_frame> frames;
  for (wire::u16 n = 0; n < 3; ++n) {
    tcp_talk talk(v4(198, 18, 1, 1, static_cast<wire::u16>(741 + n)), v4(198, 18, 1, 2, 2049));
    talk.handshake();
    for (wire::u32 xid = 0; xid <= n; ++xid)
      talk.to_server(support::getattr_call(xid, 3))
          .wait(1ms)
          .to_client(support::getattr_reply(xid));
    frames.insert(frames.end(), talk.frames.begin(), talk.frames.end());
  }

  const auto r = analyse(frames).result;

  ASSERT_EQ(r.connections.size(), 3u);
  EXPECT_EQ(r.seen.timed, 6u);
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_EQ(r.connections[n].seen.timed, n + 1);
}

TEST(Dispatcher, LeavesOtherServicesAlone) {
  tcp_talk talk(client, v4(198, 18, 1, 2, 80));
  talk.handshake();
  for (int i = 0; i < 20; ++i)
    talk.to_server(wire::as_bytes("GET / HTTP/1.1\r\n\r\n"))
        .wait(1ms)
        .to_client(support::pattern(5000));

  const auto r = analyse(talk.frames).result;

  EXPECT_EQ(r.seen.calls, 0u);
  EXPECT_TRUE(r.connections.empty());
}

TEST(Dispatcher, MatchesDatagrams) {
  const auto server = v4(198, 18, 1, 2, 2049);
  std::vector<support::timed_frame> frames;
  const auto call = support::call_message<nfs::v3::getattr>(1, {.object = support::handle(3)});
  const auto reply = support::reply_message<nfs::v3::getattr>(1, {});
  frames.push_back({1s, support::ethernet(support::udp(client, server, call))});
  frames.push_back({1s + 700us, support::ethernet(support::udp(server, client, reply))});
  frames.push_back({2s, support::ethernet(support::udp(client, server, call))});

  const auto got = analyse(frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].latency(), 700us);
  EXPECT_EQ(got.result.seen.retransmitted, 1u);
  ASSERT_EQ(got.result.connections.size(), 1u);
  EXPECT_FALSE(got.result.connections[0].key.tcp);
}

TEST(Dispatcher, FindsMountOnWhateverUdpPortItHas) {
  const auto server = v4(198, 18, 1, 2, 40'000);
  std::vector<support::timed_frame> frames;
  wire::writer call;
  rpc::call_header header;
  header.xid = 4;
  header.program = 100005;
  header.version = 3;
  ASSERT_TRUE(rpc::encode(header, call));
  wire::writer reply;
  rpc::reply_header accepted;
  accepted.xid = 4;
  ASSERT_TRUE(rpc::encode(accepted, reply));
  frames.push_back({1s, support::ethernet(support::udp(client, server, call.flatten()))});
  frames.push_back({2s, support::ethernet(support::udp(server, client, reply.flatten()))});

  EXPECT_EQ(analyse(frames).result.seen.timed, 1u);
}

} // namespace
