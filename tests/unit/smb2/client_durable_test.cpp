// Opens that outlive their connection, on a server that drops connections as the test wants.

#include "smb2/contexts/create_data.hpp"
#include "smb2/durable.hpp"
#include "smb2/ioctls/resiliency.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <gmock/gmock.h>

namespace smb2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What a request said of a lost open.
struct asked_back {
  fileid file;
  guid create_guid{};
  u32 flags = 0;
};

/// The server makes every open durable and gives it back.
class Smb2Durable : public Smb2Client, public testing::WithParamInterface<dialect> {
 protected:
  Smb2Durable() {
    server.files["x"] = pattern(1000);
    server.grant = [this](const fake::request& r, create::response& out,
                          std::vector<std::byte>& contexts) { grant(r, out, contexts); };
    server.before = [this](const fake::request& r, fake::response& out) {
      if (r.head.command == query_info::number) tell_index(r, out);
      if (drop) drop(r, out);
    };
    options.connection.timeout = seconds(2);
    how.access |= access::read_data | access::write_data;
    tries.pause = milliseconds(5);
    tries.attempts = 4;
  }
  void SetUp() override { options.dialect = server.dialect = GetParam(); }

  [[nodiscard]] static bool second_version() { return GetParam() >= dialect::smb_3_0; }

  void grant(const fake::request& r, create::response& out, std::vector<std::byte>& contexts) {
    const auto m = r.body<create>();
    replays.push_back((r.head.flags & flags::replay_operation) != 0);
    out.creation_time = created;
    out.oplock_level = m.requested_oplock_level;
    const auto list = decode_create_contexts(m.contexts);
    if (const auto v1 = find_context<durable_handle_reconnect>(list.message))
      give_back(m, out, {v1->file, {}, 0});
    if (const auto v2 = find_context<durable_handle_reconnect_v2>(list.message))
      give_back(m, out, {v2->file, v2->create_guid, v2->flags});
    create_context granted;
    std::vector<std::byte> data;
    if (const auto v2 = find_context<durable_handle_request_v2>(list.message)) {
      guids.push_back(v2->create_guid);
      durable_handle_response_v2 answer;
      answer.timeout = 60'000;
      data = encode_buffer(answer);
      granted = {wire::as_bytes("DH2Q"), data};
    } else if (find_context<durable_handle_request>(list.message)) {
      data = encode_buffer(durable_handle_response{});
      granted = {wire::as_bytes("DHnQ"), data};
    }
    if (!data.empty() && makes_durable) contexts = encode_create_contexts(std::span(&granted, 1));
  }

  void give_back(const create::request& m, create::response& out, const asked_back& asked) {
    EXPECT_EQ(m.disposition, create_disposition::open) << "or a strange server empties it";
    back.push_back(asked);
    out.file = asked.file;
    out.file.persistent += other_persistent;
  }

  void tell_index(const fake::request& r, fake::response& out) {
    file_internal_information info;
    info.index_number = index;
    const auto buffer = encode_buffer(info);
    query_info::response m;
    m.buffer = buffer;
    out.messages.push_back(server.make(r, status::success, m));
    out.handled = true;
  }

  /// Drops the connection at the n-th request of that command, `done` or not.
  void drop_at(u16 command, std::size_t n, bool done) {
    drop = [this, command, n, done, seen = std::size_t{0}](const fake::request& r,
                                                           fake::response& out) mutable {
      if (r.head.command != command || ++seen != n) return;
      if (done) static_cast<void>(server.answer(r));
      out.close = out.handled = true;
      if (at_loss) at_loss();
    };
  }

  using body = std::function<awaitable<void>(durable_file)>;

  text_result with_file(body work) { return run_to_end(io, visit(options, how, tries, work)); }

  static awaitable<text_result> visit(session_options options, open_options how, comeback tries,
                                      body work) {
    auto opened = co_await durable_file::open(options, "share", "x", how, tries);
    if (!opened) co_return std::unexpected(opened.error());
    co_await work(*opened);
    co_return std::string("done");
  }

  open_options how;
  comeback tries;
  std::function<void(const fake::request&, fake::response&)> drop;
  std::function<void()> at_loss;
  bool makes_durable = true;
  u64 other_persistent = 0;
  filetime created = 1000;
  u64 index = 77;
  std::vector<bool> replays;
  std::vector<guid> guids;
  std::vector<asked_back> back;
};

constexpr transfer_options in_pieces{.chunk_bytes = 65'536};

TEST_P(Smb2Durable, GoesOnInTheMiddleOfAWrite) {
  const auto data = pattern(3'000'000);
  for (const bool done : {false, true}) {
    back.clear();
    drop_at(write::number, 5, done);
    const auto result = with_file([&](durable_file out) -> awaitable<void> {
      const auto first = out.of_session().facts().session_id;
      transfer_report report;
      auto pieces = in_pieces;
      pieces.report = &report;
      auto written = co_await out.write(0, data, pieces);
      EXPECT_TRUE(written) << written.error().text;
      const std::vector<byte_range> all{{0, data.size()}};
      EXPECT_EQ(report.moved, all);
      EXPECT_TRUE(report.unknown.empty());
      EXPECT_EQ(out.counters().lost, 1u);
      EXPECT_EQ(out.counters().comebacks, 1u);
      EXPECT_GT(out.counters().written_again, 0u);
      EXPECT_NE(out.of_session().facts().session_id, first);
      EXPECT_FALSE(out.unanswered().empty());
      for (const auto& one : out.unanswered())
        EXPECT_EQ(one.command, write::number);
      auto closed = co_await out.close();
      EXPECT_TRUE(closed);
    });
    ASSERT_TRUE(result) << text_of(result);
    EXPECT_TRUE(server.files["x"] == data);
    ASSERT_EQ(back.size(), 1u);
    if (second_version()) {
      EXPECT_EQ(back[0].create_guid, guids.back());
    }
  }
}

TEST_P(Smb2Durable, ComesBackAsTheSameClientInPlaceOfTheOldSession) {
  drop_at(read::number, 1, false);
  std::vector<guid> clients;
  std::vector<u64> previous;
  u64 first = 0;
  const auto result = with_file([&](durable_file in) -> awaitable<void> {
    first = in.of_session().facts().session_id;
    std::vector<std::byte> into(1000);
    auto got = co_await in.read(0, into);
    EXPECT_TRUE(got) << got.error().text;
    EXPECT_TRUE(into == pattern(1000));
  });
  ASSERT_TRUE(result) << text_of(result);
  for (const auto& r : server.seen) {
    if (r.head.command == negotiate::number) clients.push_back(r.body<negotiate>().client_guid);
    if (r.head.command == session_setup::number)
      previous.push_back(r.body<session_setup>().previous_session_id);
  }
  ASSERT_EQ(clients.size(), 2u);
  EXPECT_EQ(clients[0], clients[1]);
  EXPECT_EQ(previous.back(), first);
}

TEST_P(Smb2Durable, ComesBackAsOftenAsItTakes) {
  std::size_t writes = 0;
  drop = [&](const fake::request& r, fake::response& out) {
    if (r.head.command == write::number) out.close = out.handled = ++writes % 7 == 0;
  };
  const auto data = pattern(2'000'000);
  const auto result = with_file([&](durable_file out) -> awaitable<void> {
    auto written = co_await out.write(0, data, in_pieces);
    EXPECT_TRUE(written) << written.error().text;
    EXPECT_GT(out.counters().comebacks, 3u);
    auto flushed = co_await out.flush();
    EXPECT_TRUE(flushed);
  });
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_TRUE(server.files["x"] == data);
}

TEST_P(Smb2Durable, SaysWhatIsWrittenAndWhatIsUnknownWhenTheOpenIsNotGivenBack) {
  std::size_t writes = 0;
  drop = [&](const fake::request& r, fake::response& out) {
    if (r.head.command == write::number) out.close = out.handled = ++writes == 5;
    if (r.head.command == create::number && writes > 0) {
      out.messages.push_back(server.refuse(r, status::object_name_not_found));
      out.handled = true;
    }
  };
  const auto data = pattern(1'000'000);
  const auto result = with_file([&](durable_file out) -> awaitable<void> {
    transfer_report report;
    auto pieces = in_pieces;
    pieces.report = &report;
    pieces.window_bytes = 3 * 65'536;
    auto written = co_await out.write(0, data, pieces);
    EXPECT_FALSE(written);
    if (written) co_return;
    EXPECT_EQ(written.error().code, make_status_error(status::object_name_not_found));
    const std::vector<byte_range> known{{0, 4 * 65'536}};
    const std::vector<byte_range> unknown{{4 * 65'536, 7 * 65'536}};
    const std::vector<byte_range> untouched{{7 * 65'536, 1'000'000}};
    EXPECT_EQ(report.moved, known);
    EXPECT_EQ(report.unknown, unknown);
    EXPECT_EQ(report.untouched, untouched);
    EXPECT_EQ(written.error().text,
              "the durable open is not given back: CREATE x: STATUS_OBJECT_NAME_NOT_FOUND (no such "
              "file); bytes written: 0-262144; unknown: 262144-458752; not sent: 458752-1000000");
    EXPECT_EQ(out.unanswered().size(), 3u);
  });
  EXPECT_TRUE(result) << text_of(result);
}

TEST_P(Smb2Durable, DoesNotGoOnWithAnotherFile) {
  const std::array<std::pair<std::function<void()>, std::string>, 4> ways{
      {{[this] { other_persistent = 1; }, "its FileId is another"},
       {[this] { ++created; }, "it was created at another time"},
       {[this] { ++index; }, "its index number is another"},
       {[this] { server.files["x"].resize(10); }, "it has 10 bytes, where 1000 to 1000"}}};
  for (const auto& [replace, why] : ways) {
    other_persistent = 0;
    server.files["x"] = pattern(1000);
    drop_at(read::number, 1, false);
    at_loss = replace;
    const auto result = with_file([&](durable_file in) -> awaitable<void> {
      std::vector<std::byte> into(1000);
      auto got = co_await in.read(0, into);
      EXPECT_FALSE(got) << why;
      if (got) co_return;
      EXPECT_EQ(got.error().code, errc::other_file);
      EXPECT_THAT(got.error().text, testing::HasSubstr(why));
    });
    EXPECT_TRUE(result) << text_of(result);
  }
}

TEST_P(Smb2Durable, TriesAgainWhileTheServerIsNotReady) {
  int refused = 0;
  drop_at(read::number, 1, false);
  auto first = drop;
  drop = [&, first](const fake::request& r, fake::response& out) mutable {
    first(r, out);
    if (r.head.command != create::number || guids.empty() == second_version()) return;
    if (server.count(read::number) == 0 || ++refused > 2) return;
    out.messages.push_back(server.refuse(r, status::file_not_available));
    out.handled = true;
  };
  const auto result = with_file([&](durable_file in) -> awaitable<void> {
    std::vector<std::byte> into(1000);
    auto got = co_await in.read(0, into);
    EXPECT_TRUE(got) << got.error().text;
  });
  EXPECT_TRUE(result) << text_of(result);
  EXPECT_EQ(refused, 3);
}

TEST_P(Smb2Durable, ReplaysTheCreateThatWasLost) {
  drop_at(create::number, 1, true);
  const auto result = with_file([](durable_file) -> awaitable<void> { co_return; });
  if (!second_version()) {
    ASSERT_FALSE(result) << "there is no CreateGuid by which the server would know it";
    EXPECT_EQ(result.error().code, errc::outcome_unknown);
    return;
  }
  ASSERT_TRUE(result) << text_of(result);
  const std::vector<bool> expected{false, true};
  EXPECT_EQ(replays, expected);
  EXPECT_EQ(guids.at(0), guids.at(1));
}

TEST_P(Smb2Durable, RefusesAnOpenThatIsNotDurable) {
  makes_durable = false;
  const auto result = with_file([](durable_file) -> awaitable<void> { co_return; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errc::unsupported);
  EXPECT_EQ(result.error().text, "x: the server does not make the open durable");
}

TEST_P(Smb2Durable, GivesUpAServerThatIsSilent) {
  options.connection.quiet = milliseconds(30);
  options.connection.echo_timeout = milliseconds(30);
  bool silent = false;
  drop = [&](const fake::request& r, fake::response& out) {
    silent = silent || (r.head.command == read::number && back.empty());
    if (r.head.command == negotiate::number) silent = false;
    if (silent) out.handled = true;
  };
  const auto result = with_file([&](durable_file in) -> awaitable<void> {
    std::vector<std::byte> into(1000);
    auto got = co_await in.read(0, into);
    EXPECT_TRUE(got) << got.error().text;
    EXPECT_EQ(in.counters().comebacks, 1u);
  });
  EXPECT_TRUE(result) << text_of(result);
  EXPECT_EQ(server.count(echo::number), 1u);
}

awaitable<text_result> make_resilient(session_options options) {
  auto where = co_await enter(options);
  if (!where) co_return std::unexpected(where.error());
  auto in = co_await where->open("x", open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  EXPECT_FALSE(in->durable().durable);
  auto resilient = co_await request_resiliency(*in, seconds(90));
  if (!resilient) co_return std::unexpected(resilient.error());
  EXPECT_TRUE(in->durable().durable);
  where->of_session().connection().close();
  auto again = co_await enter(replacement_of(where->of_session()));
  if (!again) co_return std::unexpected(again.error());
  auto back = co_await reopen(*again, *in);
  if (!back) co_return std::unexpected(back.error());
  EXPECT_EQ(back->id(), in->id());
  co_return std::string("done");
}

TEST_P(Smb2Durable, ReopensAResilientOpen) {
  u32 timeout = 0;
  drop = [&](const fake::request& r, fake::response& out) {
    if (r.head.command != ioctl::number) return;
    const auto m = r.body<ioctl>();
    if (m.ctl_code != fsctl::lmr_request_resiliency) return;
    timeout = decode_buffer<network_resiliency_request>(m.input)->timeout;
    ioctl::response done;
    done.ctl_code = m.ctl_code;
    out.messages.push_back(server.make(r, status::success, done));
    out.handled = true;
  };
  const auto result = run_to_end(io, make_resilient(options));
  ASSERT_TRUE(result) << text_of(result);
  EXPECT_EQ(timeout, 90'000u);
  EXPECT_EQ(back.size(), 1u);
}

awaitable<text_result> reopen_what_is_not_durable(session_options options) {
  auto where = co_await enter(options);
  if (!where) co_return std::unexpected(where.error());
  auto in = co_await where->open("x", open_options::to_read());
  if (!in) co_return std::unexpected(in.error());
  auto back = co_await reopen(*where, *in);
  if (!back) co_return std::unexpected(back.error());
  co_return std::string("done");
}

TEST_P(Smb2Durable, SaysThatAnOpenIsNotDurable) {
  const auto result = run_to_end(io, reopen_what_is_not_durable(options));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "x: the server did not make the open durable");
}

INSTANTIATE_TEST_SUITE_P(dialects, Smb2Durable,
                         testing::Values(dialect::smb_2_1, dialect::smb_3_0, dialect::smb_3_1_1),
                         [](const testing::TestParamInfo<dialect>& chosen) {
                           return "smb" + std::to_string(static_cast<int>(chosen.param));
                         });

} // namespace
} // namespace smb2
