#include "profiler/flow/rpc_resync.hpp"

#include "tests/support/codec_checks.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/pcap_builder.hpp"

#include <gtest/gtest.h>
#include <random>

namespace {

using profiler::flow::near_xid;
using profiler::flow::read_record_start;
using support::record;
using wire::bytes;

record joined(const record& a, bytes b) {
  auto out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

TEST(RpcResync, KnowsCallsAndReplies) {
  const auto call = read_record_start(support::getattr_call(7, 3));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->xid, 7u);
  EXPECT_FALSE(call->reply);
  EXPECT_TRUE(call->ends_well) << "with the bytes at hand";

  const auto reply = read_record_start(support::getattr_reply(8));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->xid, 8u);
  EXPECT_TRUE(reply->reply);
  EXPECT_TRUE(reply->certain_form);
}

TEST(RpcResync, LooksAtWhatStandsBehind) {
  const auto call = support::getattr_call(7, 3);

  EXPECT_TRUE(read_record_start(joined(call, support::getattr_call(8, 3)))->ends_well);
  EXPECT_TRUE(read_record_start(joined(call, support::getattr_reply(8)))->ends_well);
  const auto two = joined(call, support::getattr_call(8, 3));
  EXPECT_FALSE(read_record_start(bytes(two).first(call.size() + 10))->ends_well)
      << "too little to tell";
  EXPECT_FALSE(read_record_start(joined(call, support::pattern(40)))) << "noise is no record";
  EXPECT_FALSE(read_record_start(joined(call, record(40)))) << "nor are zeros";
  const auto longer = support::write_call(9, 3, 0, support::pattern(5000));
  EXPECT_FALSE(read_record_start(bytes(longer).first(1448))->ends_well) << "it ends further on";
}

// What stands behind a call in a capture is the header of the next packet.
TEST(RpcResync, RefusesRecordsInsideACapture) {
  support::tcp_talk talk(support::v4(198, 18, 1, 1, 741), support::v4(198, 18, 1, 2, 2049));
  for (wire::u32 xid = 1; xid < 20; ++xid)
    talk.to_server(support::getattr_call(xid, 3)).to_client(support::getattr_reply(xid));
  for (const bool nanoseconds : {false, true}) {
    const auto file = support::pcap_builder({.nanoseconds = nanoseconds}).add(talk.frames).file();
    std::size_t ends_of_file = 0;
    for (std::size_t at = 0; at < file.size(); ++at) {
      const auto start = read_record_start(bytes(file).subspan(at));
      if (start && start->ends_well) ++ends_of_file;
    }
    EXPECT_LE(ends_of_file, 1u) << "the last one ends with the file";
  }
}

TEST(RpcResync, ReadsThroughFragments) {
  const auto message = support::call_message<nfs::v3::getattr>(7, {.object = support::handle(3)});
  for (const std::size_t fragments : {1u, 2u, 5u, 7u}) {
    const auto start = read_record_start(support::as_record(message, fragments));
    ASSERT_TRUE(start) << fragments;
    EXPECT_EQ(start->xid, 7u);
  }
  const record empty_first(4);
  EXPECT_TRUE(read_record_start(joined(empty_first, support::getattr_call(7, 3))));
  EXPECT_FALSE(read_record_start(joined(record(8), support::getattr_call(7, 3))))
      << "two empty ones in a row are zeros of a file";
}

TEST(RpcResync, ReadsNothingBehindItsInput) {
  const auto stream =
      joined(support::as_record(
                 support::call_message<nfs::v3::getattr>(7, {.object = support::handle(3)}), 3),
             support::getattr_reply(8));
  for (std::size_t n = 0; n <= stream.size(); ++n) {
    const support::exact_buffer cut(bytes(stream).first(n));
    static_cast<void>(read_record_start(cut.view()));
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    record noise(random() % 80);
    for (auto& b : noise)
      b = static_cast<std::byte>(random() % (i % 2 == 0 ? 256 : 3));
    const support::exact_buffer exact(noise);
    static_cast<void>(read_record_start(exact.view()));
  }
}

TEST(RpcResync, KnowsXidsThatCountUpInEitherByteOrder) {
  EXPECT_TRUE(near_xid(0xFFFF'FFF0, 5)) << "over the end";
  EXPECT_TRUE(near_xid(5, 0xFFFF'FFF0));
  EXPECT_TRUE(near_xid(0x1200'0034, 0x1300'0034)) << "counted little-endian";
  EXPECT_FALSE(near_xid(0x1234'5678, 0x4321'8765));
}

} // namespace
