#include "profiler/flow/operation_names.hpp"
#include "profiler/report/json.hpp"
#include "tests/support/analysis.hpp"
#include "tests/support/nfs4_messages.hpp"
#include "tests/support/talks.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
namespace n4 = nfs::v4;
using support::analyse;
using support::compound_call;
using support::compound_results;
using support::handle4;
using support::nfs_talk;
using support::pattern;
using support::tcp_talk;
using wire::nanos;
using wire::protocol;
using wire::u32;

void tell(tcp_talk& talk, const support::record& call, const support::record& reply) {
  talk.wait(1ms).to_server(call).wait(1ms).to_client(reply);
}

n4::open::args open_by_name(std::string_view name) {
  n4::open::args out;
  out.claim.file = name;
  return out;
}

std::vector<std::string> names_of(const std::vector<wire::exchange>& exchanges) {
  std::vector<std::string> out;
  for (const auto& e : exchanges)
    out.push_back(profiler::flow::operation_name(profiler::timing::key_of(e)));
  return out;
}

/// SEQUENCE PUTFH OPEN GETFH READ CLOSE in one compound.
support::record whole_file_call(u32 xid) {
  return compound_call(xid)
      .with<n4::sequence>()
      .with<n4::putfh>({.object = handle4(7)})
      .with<n4::open>(open_by_name("a"))
      .with<n4::getfh>()
      .with<n4::read>({.stateid = {}, .offset = 512, .count = 100})
      .with<n4::close>();
}

support::record whole_file_reply(u32 xid) {
  return compound_results(xid)
      .with<n4::sequence>()
      .with<n4::putfh>()
      .with<n4::open>()
      .with<n4::getfh>({.status = n4::nfsstat4::ok, .object = handle4(8)})
      .with<n4::read>({.status = n4::nfsstat4::ok, .eof = true, .data = pattern(100)})
      .with<n4::close>();
}

TEST(Nfs4Flow, NamesACompoundByItsMainOperationAndCountsEveryOther) {
  auto talk = nfs_talk();
  tell(talk, whole_file_call(1), whole_file_reply(1));

  const auto got = analyse(talk.frames);

  EXPECT_EQ(names_of(got.exchanges),
            (std::vector<std::string>{"OPEN", "SEQUENCE", "PUTFH", "GETFH", "READ", "CLOSE"}));
  for (std::size_t i = 0; i < got.exchanges.size(); ++i) {
    EXPECT_EQ(got.exchanges[i].proto, protocol::nfs4_1);
    EXPECT_EQ(got.exchanges[i].part, i);
    EXPECT_EQ(got.exchanges[i].operations, 6u);
    EXPECT_EQ(got.exchanges[i].timed(), i == 0) << "one round trip has one latency";
  }
  EXPECT_EQ(got.exchanges[4].data_bytes, 100u);
  EXPECT_EQ(got.exchanges[4].offset, 512u);
  EXPECT_EQ(got.result.operations.round_trips(), 1u);
  EXPECT_EQ(got.result.seen.calls, 1u);
  EXPECT_EQ(got.result.seen.timed, 1u);
}

TEST(Nfs4Flow, ShowsWhatWasDoneToAFileInOneCompoundAsOneStep) {
  auto talk = nfs_talk();
  tell(talk, whole_file_call(1), whole_file_reply(1));

  const auto sequences = analyse(talk.frames).result.files.sequences();

  ASSERT_EQ(sequences.size(), 1u);
  EXPECT_EQ(profiler::report::sequence_names(sequences[0].steps),
            std::vector<std::string>{"OPEN+READ+CLOSE"});
  EXPECT_EQ(sequences[0].round_trips, 1u);
}

TEST(Nfs4Flow, GivesAllOfTheWallTimeToTheMainOperation) {
  auto talk = nfs_talk();
  tell(talk, whole_file_call(1), whole_file_reply(1));
  const auto got = analyse(talk.frames);

  const auto& wall = got.result.wall;
  EXPECT_NEAR(wall.seconds(profiler::timing::operation_key{protocol::nfs4_1, 18}), 0.001, 1e-9);
  EXPECT_NEAR(wall.wall_seconds(), 0.001, 1e-9);
  EXPECT_NEAR(wall.residual_seconds(), 0, 1e-12);
  const auto* read = got.result.operations.find({protocol::nfs4_1, 25});
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->count, 1u);
  EXPECT_EQ(read->parts, 1u);
  EXPECT_EQ(read->latency.count(), 0u);
}

TEST(Nfs4Flow, CountsNoOperationBehindTheOneThatFailed) {
  auto talk = nfs_talk();
  const auto call = compound_call(1)
                        .with<n4::sequence>()
                        .with<n4::putfh>({.object = handle4(7)})
                        .with<n4::lookup>({.objname = "gone"})
                        .with<n4::getfh>()
                        .with<n4::getattr>();
  const auto reply = compound_results(1).with<n4::sequence>().with<n4::putfh>().with<n4::lookup>(
      {.status = n4::nfsstat4::noent});
  tell(talk, call, reply);

  const auto got = analyse(talk.frames).exchanges;

  EXPECT_EQ(names_of(got), (std::vector<std::string>{"LOOKUP", "SEQUENCE", "PUTFH"}));
  EXPECT_TRUE(got[0].failed);
  EXPECT_EQ(got[0].status, 2u);
  EXPECT_FALSE(got[1].failed);
  EXPECT_FALSE(got[2].failed);
}

TEST(Nfs4Flow, NamesACompoundThatFailedEarlyByWhatWasExecuted) {
  auto talk = nfs_talk();
  const auto call = compound_call(1)
                        .with<n4::sequence>()
                        .with<n4::putfh>({.object = handle4(7)})
                        .with<n4::write>();
  tell(talk, call, compound_results(1).with<n4::sequence>({.status = n4::nfsstat4::badsession}));
  tell(talk, compound_call(2).with<n4::putfh>().with<n4::write>(),
       compound_results(2).with<n4::putfh>({.status = n4::nfsstat4::stale}));

  const auto got = analyse(talk.frames).exchanges;

  EXPECT_EQ(names_of(got), (std::vector<std::string>{"SEQUENCE", "PUTFH"}));
  EXPECT_EQ(got[0].status, 10052u);
  EXPECT_EQ(got[1].status, 70u);
}

TEST(Nfs4Flow, KeepsTheStatusOfEachOperation) {
  auto talk = nfs_talk();
  tell(talk, whole_file_call(1),
       compound_results(1)
           .with<n4::sequence>()
           .with<n4::putfh>()
           .with<n4::open>()
           .with<n4::getfh>()
           .with<n4::read>({.status = n4::nfsstat4::delay, .eof = false, .data = {}}));

  const auto got = analyse(talk.frames).exchanges;

  ASSERT_EQ(names_of(got).front(), "OPEN");
  EXPECT_FALSE(got.front().failed);
  ASSERT_EQ(names_of(got).back(), "READ");
  EXPECT_EQ(got.back().status, 10008u);
  EXPECT_TRUE(got.back().failed);
}

TEST(Nfs4Flow, SeesOperationsBehindWriteDataInTheReply) {
  auto talk = nfs_talk();
  n4::write::args w;
  const auto data = pattern(65'536);
  w.offset = 4096;
  w.data = data;
  const auto call = compound_call(1, 0)
                        .with<n4::putfh>({.object = handle4(7)})
                        .with<n4::write>(w)
                        .with<n4::getattr>();
  n4::write::reply written;
  written.count = 65'536;
  tell(talk, call,
       compound_results(1).with<n4::putfh>().with<n4::write>(written).with<n4::getattr>());

  const auto got = analyse(talk.frames);

  EXPECT_EQ(names_of(got.exchanges), (std::vector<std::string>{"WRITE", "PUTFH", "GETATTR"}));
  EXPECT_EQ(got.exchanges[0].proto, protocol::nfs4_0);
  EXPECT_EQ(got.exchanges[0].data_bytes, 65'536u);
  EXPECT_EQ(got.exchanges[0].offset, 4096u);
  EXPECT_GT(got.exchanges[0].request_bytes, 65'536u);
  EXPECT_EQ(got.exchanges[1].request_bytes, 0u);
  EXPECT_EQ(got.result.seen.hidden_parts, 0u);
}

TEST(Nfs4Flow, SeesOperationsBehindReadDataInTheCall) {
  auto talk = nfs_talk();
  const auto call = compound_call(1)
                        .with<n4::putfh>({.object = handle4(7)})
                        .with<n4::read>({.stateid = {}, .offset = 0, .count = 65'536})
                        .with<n4::getattr>();
  const auto data = pattern(65'536);
  const auto reply = compound_results(1)
                         .with<n4::putfh>()
                         .with<n4::read>({.status = n4::nfsstat4::ok, .eof = false, .data = data})
                         .with<n4::getattr>();
  tell(talk, call, reply);

  const auto got = analyse(talk.frames);

  EXPECT_EQ(names_of(got.exchanges), (std::vector<std::string>{"READ", "PUTFH", "GETATTR"}));
  EXPECT_EQ(got.exchanges[0].data_bytes, 65'536u);
  EXPECT_EQ(got.result.seen.hidden_parts, 0u);
  EXPECT_EQ(got.result.files.reads().bytes, 65'536u);
}

TEST(Nfs4Flow, SaysThatTheEndOfACompoundWasHidden) {
  auto talk = nfs_talk();
  n4::write::args w;
  const auto data = pattern(8000);
  w.data = data;
  const auto call = compound_call(1).with<n4::write>(w).with<n4::read>().with<n4::getattr>();
  const auto reply = compound_results(1)
                         .with<n4::write>()
                         .with<n4::read>({.status = n4::nfsstat4::ok, .eof = true, .data = data})
                         .with<n4::getattr>();
  tell(talk, call, reply);

  const auto got = analyse(talk.frames);

  EXPECT_EQ(names_of(got.exchanges), (std::vector<std::string>{"WRITE", "READ"}));
  EXPECT_EQ(got.result.seen.hidden_parts, 1u);
}

TEST(Nfs4Flow, TellsOfACallWithoutReplyItsMainOperation) {
  auto talk = nfs_talk();
  talk.to_server(whole_file_call(1));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(names_of(got.exchanges), std::vector<std::string>{"OPEN"});
  EXPECT_FALSE(got.exchanges[0].replied);
  EXPECT_EQ(got.result.seen.unanswered, 1u);
}

TEST(Nfs4Flow, FollowsAFileFromItsNameToItsHandle) {
  auto talk = nfs_talk();
  const auto lookup_missing = compound_call(1)
                                  .with<n4::putfh>({.object = handle4(7)})
                                  .with<n4::lookup>({.objname = "a"})
                                  .with<n4::getfh>();
  tell(talk, lookup_missing,
       compound_results(1).with<n4::putfh>().with<n4::lookup>({.status = n4::nfsstat4::noent}));
  const auto create = compound_call(2)
                          .with<n4::putfh>({.object = handle4(7)})
                          .with<n4::savefh>()
                          .with<n4::open>(open_by_name("a"))
                          .with<n4::getfh>()
                          .with<n4::restorefh>()
                          .with<n4::getattr>();
  tell(talk, create,
       compound_results(2)
           .with<n4::putfh>()
           .with<n4::savefh>()
           .with<n4::open>()
           .with<n4::getfh>({.status = n4::nfsstat4::ok, .object = handle4(8)})
           .with<n4::restorefh>()
           .with<n4::getattr>());
  tell(talk, compound_call(3).with<n4::putfh>({.object = handle4(8)}).with<n4::commit>(),
       compound_results(3).with<n4::putfh>().with<n4::commit>());
  const auto rename = compound_call(4)
                          .with<n4::putfh>({.object = handle4(7)})
                          .with<n4::savefh>()
                          .with<n4::putfh>({.object = handle4(9)})
                          .with<n4::rename>({.oldname = "a", .newname = "b"});
  tell(talk, rename,
       compound_results(4)
           .with<n4::putfh>()
           .with<n4::savefh>()
           .with<n4::putfh>()
           .with<n4::rename>());
  tell(talk,
       compound_call(5).with<n4::putfh>({.object = handle4(9)}).with<n4::remove>({.target = "b"}),
       compound_results(5).with<n4::putfh>().with<n4::remove>());

  std::vector<wire::exchange> trips;
  for (const auto& e : analyse(talk.frames).exchanges)
    if (e.part == 0) trips.push_back(e);

  EXPECT_EQ(names_of(trips),
            (std::vector<std::string>{"LOOKUP", "OPEN", "COMMIT", "RENAME", "REMOVE"}));
  for (const auto& e : trips) {
    EXPECT_NE(e.file, 0u);
    EXPECT_EQ(e.file, trips[0].file) << "all of them are about one file";
  }
  EXPECT_EQ(trips[0].parent, trips[1].parent);
  EXPECT_NE(trips[4].parent, trips[1].parent);
}

TEST(Nfs4Flow, TakesAPathWalkForALookupOfItsLastName) {
  auto talk = nfs_talk();
  const auto walk = compound_call(1, 0)
                        .with<n4::putrootfh>()
                        .with<n4::lookup>({.objname = "export"})
                        .with<n4::lookup>({.objname = "a"})
                        .with<n4::getfh>();
  tell(talk, walk,
       compound_results(1)
           .with<n4::putrootfh>()
           .with<n4::lookup>()
           .with<n4::lookup>()
           .with<n4::getfh>({.status = n4::nfsstat4::ok, .object = handle4(8)}));
  tell(talk, compound_call(2, 0).with<n4::putfh>({.object = handle4(8)}).with<n4::getattr>(),
       compound_results(2).with<n4::putfh>().with<n4::getattr>());

  const auto got = analyse(talk.frames).exchanges;

  ASSERT_EQ(names_of(got), (std::vector<std::string>{"LOOKUP", "PUTROOTFH", "LOOKUP", "GETFH",
                                                     "GETATTR", "PUTFH"}));
  EXPECT_EQ(got[0].file, got[4].file);
  EXPECT_TRUE(got[2].directory) << "the first name is what the last one was found in";
  EXPECT_EQ(got[0].parent, got[2].file);
}

TEST(Nfs4Flow, CountsCallbacksOnTheSameConnectionApartFromTheWallTime) {
  auto talk = nfs_talk();
  talk.to_server(whole_file_call(1)).wait(1ms).to_client(whole_file_reply(1)).wait(1ms);
  const support::record recall =
      compound_call(1).to_client().with<n4::cb_sequence>().with<n4::cb_recall>();
  const support::record recalled =
      compound_results(1).with<n4::cb_sequence>().with<n4::cb_recall>();
  talk.to_client(recall).wait(5ms).to_server(recalled);
  talk.wait(1ms).to_server(whole_file_call(2)).wait(1ms).to_client(whole_file_reply(2));

  const auto got = analyse(talk.frames);

  const auto names = names_of(got.exchanges);
  ASSERT_EQ(names.size(), 14u);
  EXPECT_EQ(names[6], "CB_RECALL");
  EXPECT_EQ(names[7], "CB_SEQUENCE");
  EXPECT_EQ(got.exchanges[6].proto, protocol::nfs4_cb);
  EXPECT_EQ(got.exchanges[6].latency(), nanos{5ms});
  EXPECT_NEAR(got.result.wall.seconds(profiler::timing::phase::think), 0.007, 1e-9)
      << "nobody at the client waits for a callback";
  EXPECT_EQ(got.result.seen.calls, 3u);
}

TEST(Nfs4Flow, CountsWhatIsSealedAsACompound) {
  auto talk = nfs_talk();
  tell(talk, compound_call(1).sealed().with<n4::getattr>(),
       compound_results(1).with<n4::getattr>());

  const auto got = analyse(talk.frames).exchanges;

  ASSERT_EQ(names_of(got), std::vector<std::string>{"COMPOUND"});
  EXPECT_EQ(got[0].proto, protocol::nfs4);
}

TEST(Nfs4Flow, KeepsTheLimitsOfSessionAndServer) {
  auto talk = nfs_talk();
  n4::create_session::reply session;
  session.fore.maxrequestsize = 1u << 20;
  session.fore.maxresponsesize = 1u << 19;
  session.fore.maxoperations = 16;
  session.fore.maxrequests = 64;
  tell(talk, compound_call(1).with<n4::create_session>(),
       compound_results(1).with<n4::create_session>(session));
  wire::writer values;
  values.be(wire::u64{262'144});
  values.be(wire::u64{131'072});
  const auto flat = values.flatten();
  n4::getattr::reply attributes;
  attributes.obj_attributes.attrmask.set(30);
  attributes.obj_attributes.attrmask.set(31);
  attributes.obj_attributes.attr_vals = flat;
  tell(talk, compound_call(2).with<n4::putrootfh>().with<n4::getattr>(),
       compound_results(2).with<n4::putrootfh>().with<n4::getattr>(attributes));

  const auto got = analyse(talk.frames);

  const auto& c = got.result.connections.at(0);
  EXPECT_EQ(c.session.slots, 64u);
  EXPECT_EQ(c.max_read, 262'144u);
  EXPECT_EQ(c.max_write, 131'072u);
  const auto row = profiler::report::analysis_document(got.result)["connections"][0];
  EXPECT_EQ(row["session"]["operations_max"], 16);
  EXPECT_EQ(row["session"]["request_bytes_max"], 1 << 20);
}

TEST(Nfs4Flow, NamesAnOperationThatItDoesNotKnow) {
  auto talk = nfs_talk();
  tell(talk, compound_call(1, 2).with<n4::putrootfh>().with_unknown(200).with<n4::getattr>(),
       compound_results(1).with<n4::putrootfh>().with<n4::illegal>(
           {.status = n4::nfsstat4::op_illegal}));

  const auto got = analyse(talk.frames);

  ASSERT_EQ(names_of(got.exchanges), (std::vector<std::string>{"OTHER", "PUTROOTFH"}));
  EXPECT_EQ(got.exchanges[0].proto, protocol::nfs4_2);
  EXPECT_EQ(got.exchanges[0].operation, 200u);
  EXPECT_TRUE(got.exchanges[0].failed);
}

/// Whatever is cut off a packet, no operation is made up and no call is lost.
TEST(Nfs4Flow, GivesLessButNothingWrongOfACaptureThatWasCut) {
  auto talk = nfs_talk();
  tell(talk, whole_file_call(1), whole_file_reply(1));
  const auto whole = names_of(analyse(talk.frames).exchanges);

  for (std::size_t snap = 60; snap < 700; ++snap) {
    const auto got = analyse(support::cut_to(talk.frames, snap));
    if (got.exchanges.empty()) continue;
    EXPECT_EQ(got.result.seen.calls, 1u) << snap;
    EXPECT_LE(got.exchanges.size(), whole.size());
    for (const auto& name : names_of(got.exchanges))
      EXPECT_TRUE(name == "COMPOUND" || std::find(whole.begin(), whole.end(), name) != whole.end())
          << name << " at " << snap;
  }
}

} // namespace
