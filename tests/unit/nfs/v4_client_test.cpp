#include "nfs/v4/client.hpp"
#include "tests/support/fake_nfs4_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace nfs;
using namespace nfs::v4;
using namespace std::chrono_literals;
using nfs::v4::client;
using nfs::v4::file_handle;
using support::octets;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Nfs4Slots, AreTheLowestOnesAndCountTheirRequests) {
  slot_table slots(2);
  const auto a = slots.acquire();
  const auto b = slots.acquire();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->id, 0u);
  EXPECT_EQ(b->id, 1u);
  EXPECT_EQ(slots.highest_in_use(), 1u);
  EXPECT_FALSE(slots.acquire());

  slots.release(*a, slot_table::outcome::executed);
  const auto again = slots.acquire();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, 0u);
  EXPECT_EQ(again->sequenceid, 2u);
}

TEST(Nfs4Slots, KeepTheirSequenceIdWhenNothingWasExecuted) {
  slot_table slots(1);
  slots.release(*slots.acquire(), slot_table::outcome::not_executed);
  EXPECT_EQ(slots.acquire()->sequenceid, 1u);
}

TEST(Nfs4Slots, InDoubtAreNotUsedAgain) {
  slot_table slots(2);
  slots.release(*slots.acquire(), slot_table::outcome::in_doubt);
  const auto other = slots.acquire();
  ASSERT_TRUE(other);
  EXPECT_EQ(other->id, 1u);
  EXPECT_FALSE(slots.exhausted());
  slots.release(*other, slot_table::outcome::in_doubt);
  EXPECT_TRUE(slots.exhausted());
  EXPECT_FALSE(slots.acquire());
}

TEST(Nfs4Slots, FollowTheServersTarget) {
  slot_table slots(8);
  slots.set_target(1);
  EXPECT_EQ(slots.usable(), 2u);
  slots.set_target(0);
  EXPECT_EQ(slots.usable(), 1u);
  slots.set_target(100);
  EXPECT_EQ(slots.usable(), 8u);
}

TEST(Nfs4CompoundCall, IsNamedAsTheProfilerNamesIt) {
  compound c;
  c.add<putfh>();
  c.add<lookup>({"a"});
  EXPECT_EQ(c.main_operation(), lookup::procedure);
  c.add<getfh>();
  c.add<getattr>();
  EXPECT_EQ(c.main_operation(), lookup::procedure);
  c.add<nfs::v4::open>();
  c.add<nfs::v4::close>();
  EXPECT_EQ(c.main_operation(), nfs::v4::open::procedure);
  EXPECT_EQ(c.count(), 6u);
}

TEST(Nfs4CompoundCall, BorrowsDataAndIsWalkedBack) {
  const octets data(10'000, std::byte{7});
  nfs::v4::write::args writing;
  writing.data = data;
  compound c;
  c.add<putfh>({file_handle(wire::bytes(data).first(20))});
  c.add<nfs::v4::write>(writing);
  sequence::args slot;
  slot.slotid = 3;
  compound_call::args args;
  args.what = &c;
  args.slot = &slot;
  wire::writer out;
  ASSERT_TRUE(encode(args, out));
  bool borrowed = false;
  out.for_each_segment([&](wire::bytes piece) { borrowed |= piece.data() == data.data(); });
  EXPECT_TRUE(borrowed);

  const auto message = out.flatten();
  compound_args_walker walk(message);
  std::vector<u32> numbers;
  while (walk.next([&]<class Op>(const auto&, bool) { numbers.push_back(Op::procedure); },
                   [](u32) {})) {
  }
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(numbers, testing::ElementsAre(sequence::procedure, putfh::procedure,
                                            nfs::v4::write::procedure));
}

TEST(Nfs4CompoundCall, IsNotSentWithANameThatIsTooLong) {
  const std::string name(5000, 'x');
  compound c;
  c.add<lookup>({name});
  compound_call::args args;
  args.what = &c;
  wire::writer out;
  EXPECT_FALSE(encode(args, out));
}

octets pattern(std::size_t n) {
  octets out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::byte>(i * 7 + i / 251);
  return out;
}

struct recorder : wire::exchange_sink {
  void on_exchange(const wire::exchange& e) override { seen.push_back(e); }
  std::vector<wire::exchange> seen;
};

struct Nfs4Client : testing::Test {
  asio::io_context io;
  support::fake_nfs4_server server{io};
  recorder sink;
  nfs::url where;
  int compounds = 0; ///< that the work took

  Nfs4Client() {
    where.host = "127.0.0.1";
    where.port = server.rpc.port();
    where.path = "/export";
    where.version = 4;
    where.minor_version = 1;
  }

  /// Runs a test's coroutine with a client; what it returns is the failure, empty if there is none.
  std::string with_client(result<void> (*work)(Nfs4Client&, client&)) {
    auto out = wire::net::run_to_end(io, visit(*this, work));
    EXPECT_THAT(server.broken_rules, IsEmpty());
    return out;
  }

 private:
  static awaitable<std::string> visit(Nfs4Client& test,
                                      result<void> (*work)(Nfs4Client&, client&)) {
    session_settings settings;
    settings.timeout = 5s;
    settings.sink = &test.sink;
    auto c = co_await client::connect(test.where, settings);
    if (!c) co_return c.error().text;
    auto done = co_await work(test, *c);
    if (!done) co_return done.error().text;
    auto closed = co_await c->close();
    co_return closed ? "" : closed.error().text;
  }
};

std::expected<void, error> fine() {
  return {};
}

result<void> write_and_read(Nfs4Client& test, client& c) {
  const auto data = pattern(10'000);
  auto written = co_await c.write_file(c.root(), "f", 0644, data);
  if (!written) co_return written;
  EXPECT_EQ(test.server.files["f"], data);
  octets back(20'000);
  auto got = co_await c.read_file(c.root(), "f", back);
  if (!got) co_return std::unexpected(got.error());
  EXPECT_EQ(got->bytes, data.size());
  EXPECT_TRUE(got->eof);
  back.resize(data.size());
  EXPECT_EQ(back, data);
  auto removed = co_await c.remove(c.root(), "f");
  co_return removed;
}

TEST_F(Nfs4Client, MakesASessionAndEndsIt) {
  EXPECT_EQ(with_client([](auto&, auto& c) -> result<void> {
              EXPECT_EQ(c.limits().lease_s, 90u);
              EXPECT_EQ(c.session().slots().usable(), 4u);
              co_return fine();
            }),
            "");
  for (const auto op :
       {exchange_id::procedure, create_session::procedure, reclaim_complete::procedure,
        destroy_session::procedure, destroy_clientid::procedure})
    EXPECT_EQ(server.count(op), 1) << op;
}

TEST_F(Nfs4Client, WritesAndReadsAFileInOneCompoundEach) {
  EXPECT_EQ(with_client(write_and_read), "");
  // Three of the session, the root, write, read, remove; two to leave.
  EXPECT_EQ(server.rpc.calls<compound_call>(), 9);
  EXPECT_EQ(server.count(nfs::v4::open::procedure), 2);
  const auto& write_exchange = sink.seen[4];
  EXPECT_EQ(write_exchange.proto, wire::protocol::nfs4_1);
  EXPECT_EQ(write_exchange.operation, nfs::v4::open::procedure);
  EXPECT_EQ(write_exchange.operations, 5u);
  EXPECT_EQ(write_exchange.data_bytes, 10'000u);
}

std::vector<file_to_write> ten_files(const octets& data) {
  std::vector<file_to_write> out;
  for (int i = 0; i < 10; ++i)
    out.push_back({"f" + std::to_string(i), wire::bytes(data).first(static_cast<std::size_t>(i))});
  return out;
}

result<void> write_and_read_ten(Nfs4Client& test, client& c) {
  const auto data = pattern(10);
  const auto before = test.server.rpc.calls<compound_call>();
  auto written = co_await c.write_files(c.root(), 0644, ten_files(data));
  std::vector<octets> back(10, octets(20));
  std::vector<file_to_read> wanted;
  for (std::size_t i = 0; i < 10; ++i)
    wanted.push_back({"f" + std::to_string(i), back[i]});
  auto got = co_await c.read_files(c.root(), std::move(wanted));
  test.compounds = test.server.rpc.calls<compound_call>() - before;
  EXPECT_EQ(written.size(), 10u);
  EXPECT_EQ(got.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const bool full = "f" + std::to_string(i) == test.server.full_at;
    EXPECT_EQ(written[i].has_value(), !full) << i;
    if (full) {
      EXPECT_EQ(written[i].error().code, nfsstat4::nospc);
      continue;
    }
    EXPECT_TRUE(got[i] && got[i]->bytes == i) << i;
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + static_cast<int>(i), back[i].begin()));
  }
  EXPECT_EQ(test.server.opens, 0) << "all are closed";
  co_return fine();
}

TEST_F(Nfs4Client, PutsManyFilesIntoOneCompound) {
  EXPECT_EQ(with_client(write_and_read_ten), "");
  EXPECT_EQ(compounds, 2);
}

TEST_F(Nfs4Client, PutsNoMoreFilesIntoACompoundThanTheSessionTakes) {
  server.maxoperations = 17; // SEQUENCE, and four a file
  EXPECT_EQ(with_client(write_and_read_ten), "");
  EXPECT_EQ(compounds, 3 + 3);
}

TEST_F(Nfs4Client, PutsLessIntoACompoundWhenTheServerTakesLessThanItSays) {
  server.takes_operations = 12;
  EXPECT_EQ(with_client(write_and_read_ten), "");
  EXPECT_LE(compounds, 2 + 5 + 5) << "ten files, then five, then two";
}

TEST_F(Nfs4Client, TakesOneFileACompoundAtLeast) {
  server.maxoperations = 2;
  EXPECT_EQ(with_client(write_and_read_ten), "");
  EXPECT_EQ(compounds, 20);
}

TEST_F(Nfs4Client, GoesOnBehindTheFileThatFails) {
  server.full_at = "f4";
  EXPECT_EQ(with_client(write_and_read_ten), "");
  EXPECT_EQ(compounds, 4) << "f0 to f4, the close of f4, f5 to f9; the read of all";
}

TEST_F(Nfs4Client, DoesNotRepeatWhatWasDoneBeforeADelay) {
  server.delay_remove_of = "f5";
  const auto failure = with_client([](auto& test, auto& c) -> result<void> {
    std::vector<std::string> names;
    for (int i = 0; i < 10; ++i)
      test.server.files[names.emplace_back("f" + std::to_string(i))] = {};
    auto removed = co_await c.remove_files(c.root(), names);
    for (const auto& r : removed)
      EXPECT_TRUE(r) << r.error().text;
    EXPECT_TRUE(test.server.files.empty());
    co_return fine();
  });
  EXPECT_EQ(failure, "");
}

TEST_F(Nfs4Client, UsesTheLowestSlotAgainAndAgain) {
  EXPECT_EQ(with_client(write_and_read), "");
  EXPECT_THAT(server.slots_seen, testing::ElementsAre(0u));
}

TEST_F(Nfs4Client, AsksAgainWhenSequenceIsWantedLater) {
  server.delay_sequences = 2;
  EXPECT_EQ(with_client(write_and_read), "");
}

TEST_F(Nfs4Client, AsksAgainWhenAnOperationIsWantedLater) {
  server.delay_opens = 2;
  EXPECT_EQ(with_client(write_and_read), "");
  EXPECT_EQ(server.count(nfs::v4::open::procedure), 4);
}

TEST_F(Nfs4Client, SaysWhichPartOfThePathIsMissing) {
  where.path = "/nope/deeper";
  EXPECT_THAT(with_client([](auto&, auto&) -> result<void> { co_return fine(); }),
              StartsWith("LOOKUP of 'nope' on 127.0.0.1:"));
}

TEST_F(Nfs4Client, NamesTheOperationThatFailed) {
  const auto failure = with_client([](auto&, auto& c) -> result<void> {
    octets back(10);
    auto got = co_await c.read_file(c.root(), "nope", back);
    EXPECT_FALSE(got);
    EXPECT_EQ(got.error().code, nfsstat4::noent);
    EXPECT_THAT(got.error().text, StartsWith("OPEN of 'nope' on 127.0.0.1:"));
    co_return fine();
  });
  EXPECT_EQ(failure, "");
}

TEST_F(Nfs4Client, WritesInPiecesAndSendsAgainWhatTheServerLost) {
  server.max_write = 4096;
  server.restart_at_commit = 1;
  EXPECT_EQ(with_client(write_and_read), "");
  EXPECT_EQ(server.count(nfs::v4::commit::procedure), 2);
  EXPECT_EQ(server.count(nfs::v4::write::procedure), 6);
}

TEST_F(Nfs4Client, ReadsTheRestAfterAShortAnswer) {
  server.short_bytes = 3000;
  EXPECT_EQ(with_client(write_and_read), "");
}

TEST_F(Nfs4Client, TakesNoAnswerForAnotherSlot) {
  server.answers_another_slot = true;
  EXPECT_THAT(with_client(write_and_read),
              StartsWith("SEQUENCE: slot 0 with sequence id 1 was answered as slot 1"));
}

/// Ten calls and two slots: each waits for its turn, and that is its `queue` phase.
TEST_F(Nfs4Client, WaitsForASlot) {
  server.slots = 2;
  server.target_highest_slotid = 1;
  server.rpc.hold = 1;
  const auto failure = with_client([](auto& test, auto& c) -> result<void> {
    const auto executor = co_await asio::this_coro::executor;
    const auto data = pattern(100);
    int left = 10;
    wire::net::signal done;
    for (int i = 0; i < 10; ++i)
      asio::co_spawn(executor, c.write_file(c.root(), "f" + std::to_string(i), 0644, data),
                     [&](std::exception_ptr, std::expected<void, error> r) {
                       EXPECT_TRUE(r) << r.error().text;
                       if (--left == 0) done.notify();
                     });
    co_await done.wait();
    EXPECT_EQ(test.server.files.size(), 10u);
    co_return fine();
  });
  EXPECT_EQ(failure, "");
  EXPECT_THAT(server.slots_seen, testing::ElementsAre(0u, 1u));
  for (const auto& e : sink.seen)
    EXPECT_LE(e.t.submitted, e.t.granted);
}

TEST_F(Nfs4Client, ALostConnectionLeavesItsSlotInDoubt) {
  const auto failure = with_client([](auto& test, auto& c) -> result<void> {
    test.server.rpc.close_on_call = true;
    const auto data = pattern(100);
    auto written = co_await c.write_file(c.root(), "f", 0644, data);
    EXPECT_FALSE(written);
    EXPECT_EQ(c.session().slots().in_use(), 0u);
    co_return written;
  });
  EXPECT_THAT(failure, StartsWith("nfs4.1 COMPOUND to 127.0.0.1:"));
}

} // namespace
