// Whole-file operations as one compound, and the plain sequence where that does not do.

#include "smb2/one_round_trip.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

namespace smb2 {
namespace {

using one_round_trip::read_result;

class Smb2OneRoundTrip : public Smb2Client {
 protected:
  /// Frames that came to the server: a compound is one.
  [[nodiscard]] std::size_t frames() const {
    return static_cast<std::size_t>(std::ranges::count_if(server.seen, [](const auto& r) {
      return (r.head.flags & flags::related_operations) == 0;
    }));
  }

  /// What `work` gives in the share; `used` are the frames that it took, the probe not counted.
  template <class T, class Work>
  std::expected<T, error> in_share(Work work) {
    return run_to_end(io, go<T, Work>(*this, work));
  }

  template <class T, class Work>
  static awaitable<std::expected<T, error>> go(Smb2OneRoundTrip& self, Work work) {
    auto where = co_await enter(self.options);
    if (!where) co_return std::unexpected(where.error());
    const auto probed = co_await one_round_trip::probe(*where);
    if (!probed) co_return std::unexpected(probed.error());
    const auto before = self.frames();
    auto out = co_await work(*where);
    self.used = self.frames() - before;
    co_return out;
  }

  void answer_query_info() {
    server.before = [this](const fake::request& r, fake::response& out) {
      if (r.head.command != query_info::number) return;
      const auto info = encode_buffer(file_basic_information{});
      query_info::response body;
      body.buffer = info;
      out.messages.push_back(server.make(r, status::success, body));
      out.handled = true;
    };
    server.files[""] = {};
  }

  std::size_t used = 0;
};

auto reads(std::string path, std::span<std::byte> into) {
  return [path, into](tree where) { return one_round_trip::read_file(where, path, into); };
}

auto writes(std::string path, bytes data, one_round_trip::write_options options = {}) {
  return [path, data, options](tree where) {
    return one_round_trip::write_file(where, path, data, options);
  };
}

TEST_F(Smb2OneRoundTrip, WritesAndReadsAFileInOneFrameEach) {
  answer_query_info();
  const auto data = pattern(10'240);
  const auto written = in_share<void>(writes("a/b", data));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(used, 1u);
  EXPECT_EQ(server.files[R"(a\b)"], data);

  std::vector<std::byte> into(20'000);
  const auto got = in_share<read_result>(reads("a/b", into));
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(used, 1u);
  EXPECT_EQ(got->bytes, data.size());
  EXPECT_EQ(got->facts.size, data.size());
  EXPECT_TRUE(std::equal(data.begin(), data.end(), into.begin()));
}

TEST_F(Smb2OneRoundTrip, SignsEachPart) {
  answer_query_info();
  options.sign = signing_policy::required;
  const auto data = pattern(1'000);
  const auto written = in_share<void>(writes("x", data));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(used, 1u);
  for (std::size_t i = server.seen.size() - 3; i < server.seen.size(); ++i)
    EXPECT_TRUE(server.seen[i].head.is_signed()) << i;
}

TEST_F(Smb2OneRoundTrip, FlushesAndSetsTimesInTheSameFrame) {
  answer_query_info();
  const auto before = server.before;
  server.before = [this, before](const fake::request& r, fake::response& out) {
    before(r, out);
    if (r.head.command != set_info::number) return;
    out.messages.push_back(server.make(r, status::success, set_info::response{}));
    out.handled = true;
  };
  one_round_trip::write_options how;
  how.flush = true;
  how.set_basic.emplace().last_write_time = 132'000'000'000'000'000;
  const auto data = pattern(77);
  const auto written = in_share<void>(writes("x", data, how));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(used, 1u);
  const auto at = server.seen.size() - 5;
  EXPECT_EQ(server.seen[at].head.command, create::number);
  EXPECT_EQ(server.seen[at + 1].head.command, write::number);
  EXPECT_EQ(server.seen[at + 2].head.command, flush::number);
  EXPECT_EQ(server.seen[at + 3].head.command, set_info::number);
  EXPECT_EQ(server.seen[at + 4].head.command, close::number);
  const auto set = server.seen[at + 3].body<set_info>();
  EXPECT_EQ(decode_buffer<file_basic_information>(set.buffer)->last_write_time,
            132'000'000'000'000'000u);
}

/// The EOF of READ takes CLOSE down with it at this server; the file must not stay open.
TEST_F(Smb2OneRoundTrip, ReadsAnEmptyFileAndClosesIt) {
  answer_query_info();
  server.files["empty"] = {};
  std::vector<std::byte> into(100);
  const auto got = in_share<read_result>(reads("empty", into));
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->bytes, 0u);
  EXPECT_EQ(used, 2u);
  const auto& last = server.seen.back();
  EXPECT_EQ(last.head.command, close::number);
  EXPECT_NE(last.body<close>().file, fileid::of_previous());
}

TEST_F(Smb2OneRoundTrip, AnEmptyFileTakesNoWrite) {
  answer_query_info();
  const auto written = in_share<void>(writes("empty", {}));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(used, 1u);
  EXPECT_EQ(server.count(write::number), 0u);
  EXPECT_TRUE(server.files.contains("empty"));
}

TEST_F(Smb2OneRoundTrip, NamesThePartThatFailed) {
  answer_query_info();
  std::vector<std::byte> into(100);
  const auto got = in_share<read_result>(reads("nope", into));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().text.find("CREATE nope: STATUS_OBJECT_NAME_NOT_FOUND"), 0u)
      << got.error().text;
  EXPECT_EQ(used, 1u);
}

TEST_F(Smb2OneRoundTrip, GoesThePlainWayWhereTheServerDoesNoCompounds) {
  server.does_compounds = false;
  server.files[""] = {};
  const auto data = pattern(500);
  const auto written = in_share<void>(writes("x", data));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(used, 3u);
  EXPECT_EQ(server.files["x"], data);
  const auto facts =
      in_share<file_facts>([](tree where) { return one_round_trip::stat(where, "x"); });
  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->size, 500u);
  EXPECT_EQ(used, 2u);
}

TEST_F(Smb2OneRoundTrip, GoesThePlainWayWithWhatIsTooLongForOneWrite) {
  answer_query_info();
  server.max_size = 65'536;
  const auto data = pattern(200'000);
  const auto written = in_share<void>(writes("x", data));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(server.files["x"], data);
  EXPECT_EQ(used, 6u);
}

/// A server that answers with less than was asked for and is there.
TEST_F(Smb2OneRoundTrip, ReadsTheWholeAgainAfterAShortAnswer) {
  answer_query_info();
  const auto data = pattern(3'000);
  server.files["x"] = data;
  bool once = false;
  const auto before = server.before;
  server.before = [&, before](const fake::request& r, fake::response& out) {
    before(r, out);
    if (r.head.command != read::number || std::exchange(once, true)) return;
    read::response body;
    body.data = part(bytes(data).first(1'000));
    out.messages.push_back(server.make(r, status::success, body));
    out.handled = true;
  };
  std::vector<std::byte> into(3'000);
  const auto got = in_share<read_result>(reads("x", into));
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->bytes, 3'000u);
  EXPECT_EQ(into, data);
}

TEST_F(Smb2OneRoundTrip, StatsRemovesAndMakesInOneFrameEach) {
  answer_query_info();
  server.files["x"] = pattern(9);
  const auto facts =
      in_share<file_facts>([](tree where) { return one_round_trip::stat(where, "x"); });
  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->size, 9u);
  EXPECT_EQ(used, 1u);
  for (const auto operation : {&one_round_trip::remove, &one_round_trip::make_directory}) {
    const auto done = in_share<void>([operation](tree where) { return operation(where, "x"); });
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(used, 1u);
  }
}

} // namespace
} // namespace smb2
