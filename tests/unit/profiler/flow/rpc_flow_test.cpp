#include "tests/support/analysis.hpp"
#include "tests/support/nfs_messages.hpp"
#include "tests/support/talks.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using support::analyse;
using support::as_record;
using support::nfs_talk;
using support::pattern;
using wire::nanos;

TEST(RpcFlow, TimesTheFirstAndLastByteOfAReadReplyInManySegments) {
  auto talk = nfs_talk({.gap_between = 90us});
  const auto start = talk.now;
  talk.to_server(support::read_call(1, 3, 8192, 65'536)).wait(1ms);
  const auto first = talk.now;
  talk.to_client(support::read_reply(1, pattern(65'536)));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  const auto& e = got.exchanges[0];
  EXPECT_EQ(e.t.q0, start);
  EXPECT_EQ(e.t.q1, start);
  EXPECT_EQ(e.t.r0, first);
  EXPECT_EQ(e.t.r1, talk.now);
  EXPECT_EQ(e.data_bytes, 65'536u);
  EXPECT_EQ(e.offset, 8192u);
  EXPECT_EQ(e.operation, nfs::v3::read::procedure);
  EXPECT_GT(e.reply_bytes, 65'536u);
}

TEST(RpcFlow, TimesTheFirstAndLastByteOfAWriteCallInManySegments) {
  auto talk = nfs_talk({.gap_between = 90us});
  const auto start = talk.now;
  talk.to_server(support::write_call(1, 3, 0, pattern(65'536)));
  const auto sent = talk.now;
  talk.wait(2ms).to_client(support::write_reply(1, 65'536));

  const auto e = analyse(talk.frames).exchanges.at(0);

  EXPECT_EQ(e.t.q0, start);
  EXPECT_EQ(e.t.q1, sent);
  EXPECT_EQ(e.t.r0 - e.t.q1, nanos{2ms});
  EXPECT_EQ(e.data_bytes, 65'536u);
}

TEST(RpcFlow, ReadsRecordsOfSeveralFragments) {
  auto talk = nfs_talk({.mss = 100});
  const auto call =
      support::call_message<nfs::v3::write>(9, {.file = support::handle(3),
                                                .offset = 0,
                                                .count = 900,
                                                .stable = nfs::v3::stable_how::unstable,
                                                .data = pattern(900)});
  talk.to_server(as_record(call, 7)).wait(1ms).to_client(support::write_reply(9, 900));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].data_bytes, 900u);
  EXPECT_EQ(got.exchanges[0].request_bytes, call.size() + 7 * 4);
}

TEST(RpcFlow, MatchesPipelinedCallsThatAreAnsweredInAnotherOrder) {
  auto talk = nfs_talk();
  for (wire::u32 xid = 1; xid <= 8; ++xid)
    talk.to_server(support::getattr_call(xid, 3)).wait(10us);
  for (wire::u32 xid = 8; xid >= 1; --xid)
    talk.wait(100us).to_client(support::getattr_reply(xid));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 8u);
  EXPECT_EQ(got.exchanges[0].id, 8u);
  EXPECT_EQ(got.exchanges[7].t.r1 - got.exchanges[7].t.q0, nanos{880us});
}

TEST(RpcFlow, CountsACallThatIsSentAgainAsOneRequestWithTwoAttempts) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(5, 3)).wait(1s).to_server(support::getattr_call(5, 3));
  talk.wait(500us).to_client(support::getattr_reply(5)).wait(1ms);
  talk.to_client(support::getattr_reply(5)); // the first attempt is answered too

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  const auto& e = got.exchanges[0];
  EXPECT_EQ(e.attempts, 2);
  EXPECT_EQ(e.latency(), nanos{1s + 500us});
  EXPECT_EQ(e.t.r1 - e.t.resent, nanos{500us}) << "latency of the last attempt";
  EXPECT_EQ(got.result.seen.calls, 1u);
  EXPECT_EQ(got.result.seen.retransmitted, 1u);
  EXPECT_EQ(got.result.seen.duplicate_replies, 1u);
}

TEST(RpcFlow, KnowsACallThatCrossedItsReply) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(5, 3)).wait(300us).to_client(support::getattr_reply(5));
  talk.wait(10us).to_server(support::getattr_call(5, 3)).wait(300us);
  talk.to_client(support::getattr_reply(5));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 1u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{300us});
  EXPECT_EQ(got.result.seen.retransmitted, 1u);
  EXPECT_EQ(got.result.seen.duplicate_replies, 1u);
}

TEST(RpcFlow, CountsCallsWithoutReplyAndRepliesWithoutCall) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(1, 3)).wait(1ms);
  talk.to_client(support::getattr_reply(99)).wait(1ms);
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.result.seen.calls, 2u);
  EXPECT_EQ(got.result.seen.timed, 1u);
  EXPECT_EQ(got.result.seen.unanswered, 1u);
  EXPECT_EQ(got.result.seen.orphan_replies, 1u);
  EXPECT_NEAR(got.result.seen.share(), 1.0 / 3, 1e-12);
  const auto lost = std::find_if(got.exchanges.begin(), got.exchanges.end(),
                                 [](const auto& e) { return !e.replied; });
  ASSERT_NE(lost, got.exchanges.end());
  EXPECT_EQ(lost->t.completed - lost->t.q1, nanos{2ms}) << "until the next call";
}

TEST(RpcFlow, GivesACallUpAfterTwoMinutes) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(1, 3)).wait(121s);
  talk.to_server(support::getattr_call(2, 3)).wait(1ms).to_client(support::getattr_reply(2));
  talk.wait(1ms).to_client(support::getattr_reply(1));

  const auto seen = analyse(talk.frames).result.seen;

  EXPECT_EQ(seen.unanswered, 1u);
  EXPECT_EQ(seen.orphan_replies, 1u);
}

TEST(RpcFlow, TakesAnXidWithAnotherProcedureForANewCall) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(1, 3)).wait(1ms);
  talk.to_server(support::remove_call(1, 2, "x")).wait(1ms).to_client(support::remove_reply(1));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.result.seen.calls, 2u);
  EXPECT_EQ(got.result.seen.unanswered, 1u);
  EXPECT_EQ(got.exchanges.back().operation, nfs::v3::remove::procedure);
}

TEST(RpcFlow, CallsARefusalAFailure) {
  auto talk = nfs_talk();
  wire::writer refusal;
  rpc::reply_header header;
  header.xid = 1;
  header.stat = rpc::reply_stat::denied;
  header.rejected = rpc::reject_stat::auth_error;
  header.auth = rpc::auth_stat::too_weak;
  ASSERT_TRUE(rpc::encode(header, refusal));
  talk.to_server(support::getattr_call(1, 3)).wait(1ms).to_client(as_record(refusal.flatten()));
  talk.to_server(support::lookup_call(2, 2, "none")).wait(1ms);
  talk.to_client(support::lookup_missing(2));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_TRUE(got.exchanges[0].failed);
  EXPECT_EQ(got.exchanges[0].status, 5u);
  EXPECT_TRUE(got.exchanges[1].failed);
  EXPECT_EQ(got.exchanges[1].status, 2u);
}

TEST(RpcFlow, PutsAPauseInsideACallDownAsAStall) {
  auto talk = nfs_talk();
  const auto call = support::write_call(1, 3, 0, pattern(4096));
  talk.to_server(wire::bytes(call).first(1500)).wait(40ms);
  talk.to_server(wire::bytes(call).subspan(1500)).wait(1ms);
  talk.to_client(support::write_reply(1, 4096));

  const auto e = analyse(talk.frames).exchanges.at(0);

  EXPECT_EQ(e.request_stall, nanos{40ms});
  EXPECT_EQ(e.reply_stall, nanos{0});
  EXPECT_EQ(e.t.q1 - e.t.q0, nanos{40ms});
}

TEST(RpcFlow, DoesNotCallThePauseBetweenTwoCallsAStall) {
  auto talk = nfs_talk();
  for (wire::u32 xid = 1; xid <= 3; ++xid)
    talk.wait(40ms)
        .to_server(support::write_call(xid, 3, 0, pattern(4096)))
        .wait(40ms)
        .to_client(support::write_reply(xid, 4096));

  for (const auto& e : analyse(talk.frames).exchanges)
    EXPECT_EQ(e.request_stall + e.reply_stall, nanos{0});
}

TEST(RpcFlow, GivesAllOperationsOnOneFileTheSameFile) {
  auto talk = nfs_talk();
  const auto round_trip = [&](const auto& call, const auto& reply) {
    talk.wait(100us).to_server(call).wait(100us).to_client(reply);
  };
  round_trip(support::lookup_call(1, 2, "a"), support::lookup_missing(1));
  round_trip(support::create_call(2, 2, "a"), support::create_reply(2, 10));
  round_trip(support::write_call(3, 10, 0, pattern(100)), support::write_reply(3, 100));
  round_trip(support::lookup_call(4, 2, "a"), support::lookup_reply(4, 10));
  round_trip(support::read_call(5, 10, 0, 100), support::read_reply(5, pattern(100)));
  round_trip(support::remove_call(6, 2, "a"), support::remove_reply(6));
  round_trip(support::create_call(7, 2, "a"), support::create_reply(7, 11));
  round_trip(support::getattr_call(8, 2), support::getattr_reply(8));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 8u);
  const auto file = got.exchanges[0].file;
  EXPECT_NE(file, 0u);
  for (int i = 1; i < 6; ++i)
    EXPECT_EQ(got.exchanges[static_cast<std::size_t>(i)].file, file) << i;
  EXPECT_NE(got.exchanges[6].file, file) << "a new file of the same name";
  EXPECT_TRUE(got.exchanges[7].directory);
  EXPECT_EQ(got.exchanges[7].file, got.exchanges[0].parent);
  EXPECT_EQ(got.result.files.count(), 2u);
  EXPECT_EQ(got.result.files.round_trips().max().count(), 6);
}

TEST(RpcFlow, KeepsTheNumberOfAFileThatIsRenamed) {
  auto talk = nfs_talk();
  const auto round_trip = [&](const auto& call, const auto& reply) {
    talk.wait(100us).to_server(call).wait(100us).to_client(reply);
  };
  round_trip(support::create_call(1, 2, "a"), support::create_reply(1, 10));
  round_trip(support::call<nfs::v3::rename>(2, {.from = {.dir = support::handle(2), .name = "a"},
                                                .to = {.dir = support::handle(4), .name = "b"}}),
             support::reply<nfs::v3::rename>(2, {}));
  round_trip(support::remove_call(3, 4, "b"), support::remove_reply(3));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(got.exchanges.at(1).file, got.exchanges.at(0).file);
  EXPECT_EQ(got.exchanges.at(2).file, got.exchanges.at(0).file);
}

TEST(RpcFlow, LearnsTheLargestReadAndWriteFromFsinfo) {
  auto talk = nfs_talk();
  nfs::v3::fsinfo::reply info;
  info.rtmax = 1u << 20;
  info.wtmax = 1u << 19;
  talk.to_server(support::call<nfs::v3::fsinfo>(1, {.fsroot = support::handle(2)})).wait(1ms);
  talk.to_client(support::reply<nfs::v3::fsinfo>(1, info));

  const auto connections = analyse(talk.frames).result.connections;

  ASSERT_EQ(connections.size(), 1u);
  EXPECT_EQ(connections[0].max_read, 1u << 20);
  EXPECT_EQ(connections[0].max_write, 1u << 19);
}

/// A call without arguments of any program.
support::record bare_call(wire::u32 xid, wire::u32 program, wire::u32 version,
                          wire::u32 procedure) {
  wire::writer out;
  rpc::call_header header;
  header.xid = xid;
  header.program = program;
  header.version = version;
  header.procedure = procedure;
  static_cast<void>(rpc::encode(header, out));
  return as_record(out.flatten());
}

TEST(RpcFlow, NamesTheHelpersAndNfs4AndCountsOtherPrograms) {
  auto talk = nfs_talk();
  wire::u32 xid = 0;
  for (const auto& [program, version, procedure] : {std::array{100003u, 4u, 1u},
                                                    {100227u, 3u, 1u},
                                                    {100021u, 4u, 2u},
                                                    {100005u, 3u, 1u},
                                                    {100000u, 4u, 3u},
                                                    {100003u, 2u, 1u},
                                                    {100024u, 1u, 2u},
                                                    {100011u, 1u, 1u},
                                                    {0x40000001u, 1u, 1u},
                                                    {100003u, 5u, 1u}}) {
    ++xid;
    talk.to_server(bare_call(xid, program, version, procedure)).wait(1ms);
    talk.to_client(support::getattr_reply(xid)).wait(1ms);
  }

  const auto got = analyse(talk.frames);

  using wire::protocol;
  std::vector<protocol> protocols;
  for (const auto& e : got.exchanges)
    protocols.push_back(e.proto);
  EXPECT_EQ(protocols, (std::vector{protocol::nfs4, protocol::nfsacl, protocol::nlm,
                                    protocol::mount, protocol::portmap, protocol::nfs2,
                                    protocol::nsm, protocol::rquota, protocol::nfs4_cb}));
  EXPECT_EQ(got.result.seen.other_calls, 1u);
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
}

TEST(RpcFlow, MatchesCallsOfTheServerToTheClient) {
  auto talk = nfs_talk();
  talk.to_server(support::getattr_call(1, 3)).wait(100us);
  talk.to_client(bare_call(1, 100003, 4, 1)).wait(50us); // the same xid, the other way
  talk.to_server(support::getattr_reply(1)).wait(50us);
  talk.to_client(support::getattr_reply(1));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(got.exchanges.size(), 2u);
  EXPECT_EQ(got.exchanges[0].latency(), nanos{50us});
  EXPECT_EQ(got.exchanges[1].latency(), nanos{200us});
  EXPECT_EQ(got.result.seen.orphan_replies, 0u);
}

} // namespace
