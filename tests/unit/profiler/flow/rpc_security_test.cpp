#include "profiler/flow/rpc_programs.hpp"
#include "profiler/flow/tls_records.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/talks.hpp"

#include <gtest/gtest.h>

/// RPCSEC_GSS and TLS: what is in the clear is read, what is not is counted and named.
namespace {

using namespace std::chrono_literals;
using profiler::flow::rpc_security;
using profiler::flow::tls_records;
using support::analyse;
using support::as_record;
using support::nfs_talk;
using support::pattern;
using support::record;
using support::tcp_talk;
using support::v4;
using wire::u32;

/// version 1, gss_proc, seq_num 5, service, context of 4 bytes (RFC 2203 section 5).
std::vector<std::byte> gss_credential(u32 procedure, u32 service) {
  wire::writer out;
  for (const u32 n : {1u, procedure, 5u, service, 4u, 0xC0FFEEu})
    out.be(n);
  return out.flatten();
}

/// A READ whose arguments stand behind `before`.
record gss_read(u32 xid, u32 procedure, u32 service, std::initializer_list<u32> before) {
  const auto credential = gss_credential(procedure, service);
  wire::writer out;
  rpc::call_header header;
  header.xid = xid;
  header.program = 100003;
  header.version = 3;
  header.procedure = nfs::v3::read::procedure;
  header.credential = {rpc::auth_flavor::gss, credential};
  static_cast<void>(rpc::encode(header, out));
  for (const auto n : before)
    out.be(n);
  nfs::v3::read::args args{.file = support::handle(3), .offset = 8192, .count = 512};
  static_cast<void>(rpc::encode(args, out));
  return as_record(out.flatten());
}

record gss_read_reply(u32 xid, std::initializer_list<u32> before) {
  const auto data = pattern(512);
  nfs::v3::read::reply result;
  result.count = 512;
  result.data = data;
  wire::writer out;
  rpc::reply_header header;
  header.xid = xid;
  static_cast<void>(rpc::encode(header, out));
  for (const auto n : before)
    out.be(n);
  static_cast<void>(rpc::encode(result, out));
  return as_record(out.flatten());
}

TEST(RpcSecurity, ReadsThroughIntegrityAndTimesPrivacy) {
  struct expected {
    u32 service;
    std::initializer_list<u32> before;
    rpc_security security;
    bool readable;
  };
  for (const auto& x : {expected{1, {}, rpc_security::authentication, true},
                        expected{2, {60, 5}, rpc_security::integrity, true},
                        expected{3, {60, 0xDEADBEEF}, rpc_security::privacy, false}}) {
    auto talk = nfs_talk();
    talk.to_server(gss_read(1, 0, x.service, x.before)).wait(1ms);
    talk.to_client(gss_read_reply(1, x.before));

    const auto got = analyse(talk.frames);

    ASSERT_EQ(got.exchanges.size(), 1u);
    const auto& e = got.exchanges[0];
    EXPECT_EQ(e.operation, nfs::v3::read::procedure);
    EXPECT_EQ(e.latency(), 1ms);
    EXPECT_EQ(e.offset, x.readable ? 8192u : 0u);
    EXPECT_EQ(e.data_bytes, x.readable ? 512u : 0u);
    EXPECT_EQ(e.file != 0, x.readable);
    EXPECT_FALSE(e.failed);
    EXPECT_EQ(got.result.seen.sealed_calls, x.readable ? 0u : 1u);
    EXPECT_EQ(got.result.connections.at(0).security, 1u << static_cast<unsigned>(x.security));
  }
}

TEST(RpcSecurity, DoesNotReadWhatMakesAContext) {
  auto talk = nfs_talk();
  talk.to_server(gss_read(1, 1, 1, {})).wait(1ms).to_client(gss_read_reply(1, {}));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].data_bytes, 0u);
  EXPECT_EQ(got.result.seen.sealed_calls, 0u);
}

record tls_record(unsigned type, std::size_t length) {
  wire::writer out;
  out.be(static_cast<wire::u8>(type));
  out.be(wire::u16{0x0303});
  out.be(static_cast<wire::u16>(length));
  out.put(pattern(length));
  return out.flatten();
}

TEST(Tls, IsSeenBehindItsProbe) {
  auto talk = nfs_talk({.mss = 700});
  talk.to_server(support::getattr_call(1, 3)).wait(1ms).to_client(support::getattr_reply(1));
  talk.to_server(tls_record(22, 500)).wait(1ms);
  talk.to_client(tls_record(22, 3000)).wait(1ms);
  for (int i = 0; i < 10; ++i) {
    talk.to_server(tls_record(23, 200)).wait(1ms);
    talk.to_client(tls_record(23, 5000)).wait(1ms);
  }

  const auto r = analyse(talk.frames).result;

  EXPECT_EQ(r.seen.tls_records, 22u);
  EXPECT_EQ(r.seen.tls_bytes, 22u * 5 + 500 + 3000 + 10 * 5200);
  EXPECT_TRUE(r.connections.at(0).tls);
  EXPECT_EQ(r.seen.timed, 1u);
  EXPECT_EQ(r.seen.lost_steps, 0u);
  EXPECT_EQ(r.seen.malformed, 0u);
}

TEST(Tls, IsSeenWhereTheCaptureStartsInTheMiddle) {
  tcp_talk talk(v4(198, 18, 1, 1, 741), v4(198, 18, 1, 2, 2049));
  for (int i = 0; i < 10; ++i) {
    talk.to_server(tls_record(23, 200)).wait(1ms);
    talk.to_client(tls_record(23, 5000)).wait(1ms);
  }

  const auto r = analyse(talk.frames).result;

  EXPECT_TRUE(r.connections.at(0).tls);
  EXPECT_GE(r.seen.tls_records, 19u);
}

TEST(Tls, CountsTheSameHoweverTheRecordsAreCut) {
  std::vector<std::byte> stream;
  for (const std::size_t n : {1u, 100u, 16'384u, 700u, 5u}) {
    const auto r = tls_record(23, n);
    stream.insert(stream.end(), r.begin(), r.end());
  }
  // Not inside a header: a segment is the smallest piece, and records begin whole ones.
  for (const std::size_t piece : {std::size_t{1448}, std::size_t{9000}, stream.size()}) {
    tls_records counter;
    wire::u64 records = 0;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      const auto n = std::min(piece, stream.size() - at);
      records += counter.take(wire::bytes(stream).subspan(at, n), n);
    }
    EXPECT_EQ(records, 5u) << piece;
  }
}

TEST(Tls, IsNotSeenInTheDataOfAFile) {
  // A capture of TLS is copied over NFS, and the capture of that has a hole in front of it.
  std::vector<std::byte> data;
  for (int i = 0; i < 40; ++i) {
    const auto r = tls_record(23, 1443);
    data.insert(data.end(), r.begin(), r.end());
  }
  auto talk = nfs_talk();
  talk.to_server(support::write_call(1, 3, 0, data)).wait(1ms);
  talk.to_client(support::write_reply(1, static_cast<u32>(data.size()))).wait(1ms);
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  const auto r = analyse(talk.frames).result;

  EXPECT_EQ(r.seen.tls_records, 0u);
  EXPECT_EQ(r.seen.timed, 2u);
}

} // namespace
