#include "tests/unit/smb2/client_fixture.hpp"

#include <asio/experimental/awaitable_operators.hpp>

namespace smb2 {
namespace {

using std::chrono::milliseconds;

awaitable<text_result> write_and_read(session_options options, std::vector<std::byte> data,
                                      transfer_options how) {
  auto where = co_await enter(std::move(options));
  if (!where) co_return std::unexpected(where.error());
  auto out = co_await where->open("dir/file", open_options::to_write());
  if (!out) co_return std::unexpected(out.error());
  auto written = co_await out->write(0, data, how);
  if (!written) co_return std::unexpected(written.error());
  std::vector<std::byte> back(data.size() + 10);
  auto got = co_await out->read(0, back, how);
  if (!got) co_return std::unexpected(got.error());
  EXPECT_EQ(*got, data.size());
  back.resize(data.size());
  EXPECT_TRUE(back == data);
  auto closed = co_await out->close();
  if (!closed) co_return std::unexpected(closed.error());
  co_return std::string("done");
}

TEST_F(Smb2Client, WritesAndReadsASmallFileInOneCallEach) {
  const auto result = run_to_end(io, write_and_read(options, pattern(10'240), {}));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.files.at("dir\\file"), pattern(10'240));
  EXPECT_EQ(server.count(write::number), 1u);
  EXPECT_EQ(server.count(read::number), 1u);
  EXPECT_EQ(server.count(create::number), 1u);
  EXPECT_EQ(server.count(close::number), 1u);
}

TEST_F(Smb2Client, ReportsEachCallWithItsTimesItsFileAndItsBytes) {
  const auto result = run_to_end(io, write_and_read(options, pattern(10'240), {}));

  ASSERT_TRUE(result) << text_of(result);
  std::vector<u16> operations;
  for (const auto& e : sink.seen) {
    operations.push_back(e.operation);
    EXPECT_EQ(e.proto, wire::protocol::smb2);
    EXPECT_TRUE(e.replied);
    EXPECT_FALSE(e.failed);
    EXPECT_TRUE(e.timed());
    EXPECT_LE(e.t.submitted, e.t.granted);
    EXPECT_LE(e.t.granted, e.t.encoded);
    EXPECT_LE(e.t.encoded, e.t.q0);
    EXPECT_LE(e.t.r1, e.t.completed);
  }
  const std::vector<u16> expected{
      negotiate::number, session_setup::number, session_setup::number, tree_connect::number,
      create::number,    write::number,         read::number,          close::number};
  EXPECT_EQ(operations, expected);
  const auto& written = sink.seen[5];
  EXPECT_EQ(written.data_bytes, 10'240u);
  EXPECT_EQ(written.request_bytes, 4 + 64 + 48 + 10'240u);
  EXPECT_EQ(written.reply_bytes, 4 + 64 + 16u);
  EXPECT_EQ(sink.seen[6].data_bytes, 10'240u);
  EXPECT_EQ(sink.seen[4].file, hash_of({7, 0})) << "CREATE: from its response";
  EXPECT_EQ(sink.seen[7].file, hash_of({7, 0})) << "CLOSE: from its request";
}

TEST_F(Smb2Client, CutsLargeTransfersAndPutsThemTogether) {
  for (const u32 chunk : {65'536u, 100'000u, 0u}) {
    sink.seen.clear();
    const auto result =
        run_to_end(io, write_and_read(options, pattern(3'000'001), {.chunk_bytes = chunk}));
    ASSERT_TRUE(result) << text_of(result);
  }
}

TEST_F(Smb2Client, KeepsManyCallsInFlight) {
  options.connection.credits_target = 64;
  std::size_t outstanding = 0;
  std::size_t most = 0;
  std::vector<std::vector<std::byte>> held;
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != write::number) return;
    // Answers only when eight have come, which one at a time never do.
    held.push_back(server.answer(r));
    most = std::max(most, ++outstanding);
    out.handled = true;
    if (outstanding < 8) return;
    out.messages = std::exchange(held, {});
    outstanding = 0;
  };

  const auto result =
      run_to_end(io, write_and_read(options, pattern(16 * 65'536), {.chunk_bytes = 65'536}));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(most, 8u);
}

TEST_F(Smb2Client, FinishesWithAServerThatNeverGivesMoreThanOneCredit) {
  server.credits_max = 1;

  const auto result = run_to_end(io, write_and_read(options, pattern(300'000), {}));

  ASSERT_TRUE(result) << text_of(result);
  for (const auto& r : server.seen)
    EXPECT_LE(r.head.credit_charge, 1);
  EXPECT_EQ(server.count(write::number), 5u);
}

TEST_F(Smb2Client, NeverSendsMoreThanTheCreditsItHas) {
  server.credits_max = 3;
  u32 granted = 1;
  u32 spent = 0;
  server.before = [&](const fake::request& r, fake::response&) {
    spent += std::max<u32>(r.head.credit_charge, 1);
    EXPECT_LE(spent, granted);
    granted += std::min<u32>(r.head.credits, server.credits_max);
  };

  const auto result =
      run_to_end(io, write_and_read(options, pattern(2'000'000), {.chunk_bytes = 131'072}));

  ASSERT_TRUE(result) << text_of(result);
}

TEST_F(Smb2Client, ChargesNothingOnDialect202) {
  options.dialect = server.dialect = dialect::smb_2_0_2;

  const auto result = run_to_end(io, write_and_read(options, pattern(300'000), {}));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(write::number), 5u) << "64 KiB at a time";
  u64 next = 0;
  for (const auto& r : server.seen) {
    EXPECT_EQ(r.head.credit_charge, 0);
    EXPECT_EQ(r.head.message_id, next++);
  }
}

TEST_F(Smb2Client, WaitsForTheFinalResponseBehindAnInterimOne) {
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != write::number) return;
    auto interim = server.refuse(r, status::pending);
    auto head = *decode_header(interim);
    head.flags |= flags::async_command;
    head.async_id = 99;
    store_header(head, std::span(interim).first<header_bytes>());
    auto final = server.answer(r);
    head = *decode_header(final);
    head.flags |= flags::async_command;
    head.async_id = 99;
    head.credits = 0;
    store_header(head, std::span(final).first<header_bytes>());
    out.messages = {interim, final};
    out.handled = true;
  };

  const auto result = run_to_end(io, write_and_read(options, pattern(2'000'000), {}));

  ASSERT_TRUE(result) << text_of(result);
  for (const auto& e : sink.seen)
    EXPECT_EQ(e.interim, e.operation == write::number);
}

TEST_F(Smb2Client, SaysWhatTheServerSaidToWhat) {
  const auto result = run_to_end(io, open_only(options, "a/b"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "CREATE a/b: STATUS_OBJECT_NAME_NOT_FOUND (no such file)");
  EXPECT_EQ(result.error().code, std::errc::no_such_file_or_directory);
  EXPECT_TRUE(sink.seen.back().failed);
  EXPECT_EQ(sink.seen.back().status, status::object_name_not_found);
}

TEST_F(Smb2Client, RefusesAPathThatIsNotUtf8) {
  const auto result = run_to_end(io, open_only(options, "a\xFF"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_name);
  EXPECT_EQ(server.count(create::number), 0u);
}

TEST_F(Smb2Client, SaysThatTheServerClosedTheConnectionInTheMiddle) {
  server.before = [](const fake::request& r, fake::response& out) {
    out.close = out.handled = r.head.command == create::number;
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "CREATE to 127.0.0.1:" + std::to_string(server.port()) +
                                     ": the server closed the connection; whether the request was "
                                     "carried out is unknown");
  EXPECT_EQ(result.error().code, errc::outcome_unknown);
  EXPECT_FALSE(sink.seen.back().replied);
  EXPECT_TRUE(sink.seen.back().failed);
}

TEST_F(Smb2Client, EndsAllChunksWhenTheServerClosesTheConnectionInTheMiddle) {
  std::size_t writes = 0;
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command == write::number) out.close = out.handled = ++writes == 5;
  };

  const auto result =
      run_to_end(io, write_and_read(options, pattern(4'000'000), {.chunk_bytes = 65'536}));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::outcome_unknown);
  const auto replied = std::ranges::count_if(
      sink.seen, [](const wire::exchange& e) { return e.operation == write::number && e.replied; });
  EXPECT_EQ(replied, 4);
}

TEST_F(Smb2Client, StopsATransferAtTheFirstChunkThatFails) {
  std::size_t writes = 0;
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != write::number || ++writes != 3) return;
    out.messages.push_back(server.refuse(r, 0xC000'007F));
    out.handled = true;
  };

  const auto result =
      run_to_end(io, write_and_read(options, pattern(60 * 65'536), {65'536, 4 * 65'536, false}));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "dir/file: WRITE: STATUS_DISK_FULL (the disk is full)");
  EXPECT_LE(server.count(write::number), 8u);
}

TEST_F(Smb2Client, SaysWhatTheServerSentWhenItIsNoSmb2) {
  server.before = [](const fake::request& r, fake::response& out) {
    if (r.head.command != create::number) return;
    out.handled = true;
    out.messages.push_back(std::vector<std::byte>(80, std::byte{'x'}));
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "CREATE to 127.0.0.1:" + std::to_string(server.port()) +
                ": the server sent bytes that are no SMB2; the connection is closed; "
                "whether the request was carried out is unknown");
}

TEST_F(Smb2Client, SaysThatAResponseCannotBeDecoded) {
  server.files["a"] = {};
  server.before = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != create::number) return;
    out.handled = true;
    auto cut = server.answer(r);
    cut.resize(100);
    out.messages.push_back(cut);
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::bad_response);
  EXPECT_NE(result.error().text.find("CREATE response: truncated at byte"), std::string::npos)
      << result.error().text;
}

TEST_F(Smb2Client, EndsACallAtItsDeadline) {
  options.connection.timeout = milliseconds(60);
  server.before = [](const fake::request& r, fake::response& out) {
    out.handled = r.head.command == create::number;
  };

  const auto result = run_to_end(io, open_only(options, "a"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::timed_out);
  EXPECT_NE(result.error().text.find("no response within 60.0 ms"), std::string::npos)
      << result.error().text;
}

awaitable<text_result> cancelled_read(session_options options, u32 size) {
  using namespace asio::experimental::awaitable_operators;
  auto where = co_await enter(std::move(options));
  if (!where) co_return std::unexpected(where.error());
  auto in = co_await where->open("a", open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  std::vector<std::byte> back(size);
  asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(40));
  auto first = co_await (in->read(0, back) || timer.async_wait(wire::net::as_result));
  EXPECT_EQ(first.index(), 1u);
  auto closed = co_await in->close();
  if (!closed) co_return std::unexpected(closed.error());
  co_return std::string("went on");
}

TEST_F(Smb2Client, GivesUpTheCallsOfACancelledTransferAndGoesOn) {
  server.files["a"] = pattern(1'000'000);
  server.before = [](const fake::request& r, fake::response& out) {
    out.handled = r.head.command == read::number;
  };

  const auto result = run_to_end(io, cancelled_read(options, 10 << 20));

  ASSERT_TRUE(result) << text_of(result);
  EXPECT_GE(server.count(read::number), 2u);
  EXPECT_EQ(server.count(cancel::number), server.count(read::number));
}

awaitable<text_result> streamed(session_options options, std::vector<std::byte> data, u64 wanted) {
  auto where = co_await enter(std::move(options));
  if (!where) co_return std::unexpected(where.error());
  auto out = co_await where->open("a", open_options::to_write());
  if (!out) co_return std::unexpected(out.error());
  const transfer_options how{.chunk_bytes = 65'536, .window_bytes = 4 * 65'536};
  std::size_t given = 0;
  chunk_filler fill = [&](std::span<std::byte> room) {
    const auto n = std::min(room.size(), data.size() - given);
    std::ranges::copy(bytes(data).subspan(given, n), room.begin());
    given += n;
    return n;
  };
  auto written = co_await out->write_stream(0, 1 << 30, std::move(fill), how);
  if (!written) co_return std::unexpected(written.error());
  EXPECT_EQ(*written, data.size());
  auto in = co_await where->open("a", open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  std::vector<std::byte> back;
  chunk_taker take = [&](bytes chunk) {
    back.insert(back.end(), chunk.begin(), chunk.end());
    return back.size() < wanted;
  };
  auto taken = co_await in->read_stream(0, 1 << 30, std::move(take), how);
  if (!taken) co_return std::unexpected(taken.error());
  EXPECT_EQ(*taken, back.size());
  EXPECT_TRUE(std::ranges::equal(back, bytes(data).first(back.size())));
  co_return std::to_string(back.size());
}

TEST_F(Smb2Client, StreamsAFileThroughASmallWindow) {
  EXPECT_EQ(text_of(run_to_end(io, streamed(options, pattern(3'000'001), 1 << 30))),
            "worked: 3000001");
}

TEST_F(Smb2Client, StopsAStreamWhereItsTakerHasEnough) {
  EXPECT_EQ(text_of(run_to_end(io, streamed(options, pattern(3'000'001), 100'000))),
            "worked: 131072");
}

TEST_F(Smb2Client, StreamsNothingOfAnEmptyFile) {
  EXPECT_EQ(text_of(run_to_end(io, streamed(options, {}, 1))), "worked: 0");
}

awaitable<text_result> outlived(session_options options) {
  auto in = std::optional<file>();
  {
    auto where = co_await enter(std::move(options));
    if (!where) co_return std::unexpected(where.error());
    auto opened = co_await where->open("a", open_options::to_read());
    if (!opened) co_return std::unexpected(opened.error());
    in = std::move(*opened);
  }
  std::vector<std::byte> back(10);
  auto got = co_await in->read(0, back);
  if (!got) co_return std::unexpected(got.error());
  co_return std::to_string(*got);
}

TEST_F(Smb2Client, KeepsTheSessionAsLongAsAFileNeedsIt) {
  server.files["a"] = pattern(7);

  const auto result = run_to_end(io, outlived(options));

  EXPECT_EQ(text_of(result), "worked: 7");
}

} // namespace
} // namespace smb2
