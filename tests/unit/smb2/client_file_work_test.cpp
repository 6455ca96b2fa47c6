// Directory, lock, notify, copy and pipe work against a server that answers as the test wants.

#include "smb2/directory.hpp"
#include "smb2/info/names.hpp"
#include "smb2/locks.hpp"
#include "smb2/notify.hpp"
#include "smb2/pipe.hpp"
#include "smb2/server_copy.hpp"
#include "smb2/sparse.hpp"
#include "tests/unit/smb2/client_fixture.hpp"

#include <deque>
#include <set>

namespace smb2 {
namespace {

/// One answer to one request; the last of a queue serves all that follow.
using answer = std::function<std::vector<std::byte>(fake::server&, const fake::request&)>;

class Smb2FileWork : public Smb2Client {
 protected:
  Smb2FileWork() {
    server.files["x"] = {};
    server.before = [this](const fake::request& r, fake::response& out) {
      if (r.head.command != command_ || answers_.empty()) return;
      out.messages.push_back(answers_.front()(server, r));
      out.handled = true;
      if (answers_.size() > 1) answers_.pop_front();
    };
  }

  void answer_with(u16 command, std::deque<answer> answers) {
    command_ = command;
    answers_ = std::move(answers);
  }

  template <class T>
  using work_on = awaitable<std::expected<T, error>> (*)(file);

  /// What `work` gives for the open file "x".
  template <class T>
  std::expected<T, error> with_file(work_on<T> work) {
    return run_to_end(io, open_and<T>(options, work));
  }

  template <class T>
  static awaitable<std::expected<T, error>> open_and(session_options options, work_on<T> work) {
    auto where = co_await enter(std::move(options));
    if (!where) co_return std::unexpected(where.error());
    auto in = co_await where->open("x", open_options::to_read());
    if (!in) co_return std::unexpected(in.error());
    auto out = co_await work(*in);
    co_return out;
  }

 private:
  u16 command_ = 0;
  std::deque<answer> answers_;
};

answer with_output(u32 code, std::vector<std::byte> output) {
  return [code, output = std::move(output)](fake::server& s, const fake::request& r) {
    ioctl::response m;
    m.ctl_code = r.body<ioctl>().ctl_code;
    m.output = output;
    return s.make(r, code, m);
  };
}

answer refused(u32 code) {
  return [code](fake::server& s, const fake::request& r) { return s.refuse(r, code); };
}

std::vector<std::byte> counts(u32 chunks, u32 chunk_bytes, u32 total) {
  srv_copychunk_response m;
  m.chunks_written = chunks;
  m.chunk_bytes_written = chunk_bytes;
  m.total_bytes_written = total;
  return encode_buffer(m);
}

answer a_key() {
  return with_output(status::success, encode_buffer(srv_request_resume_key_response{}));
}

awaitable<std::expected<copied, error>> copy_3000(file on) {
  return server_copy(on, 0, on, 0, 3000);
}

TEST_F(Smb2FileWork, LearnsTheLimitsOfACopyFromTheRefusal) {
  answer_with(ioctl::number,
              {a_key(), with_output(status::invalid_parameter, counts(2, 1000, 1500)),
               with_output(status::success, counts(2, 0, 1500))});

  const auto done = with_file<copied>(copy_3000);

  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(done->bytes, 3000u);
  EXPECT_EQ(done->requests, 3u);
  const auto last = server.seen.back().body<ioctl>();
  const auto request = decode_buffer<srv_copychunk_copy>(last.input);
  ASSERT_TRUE(request);
  ASSERT_EQ(request->chunks.size(), 2u);
  EXPECT_EQ(request->chunks.at(0).source_offset, 1500u);
  EXPECT_EQ(request->chunks.at(0).length, 1000u);
  EXPECT_EQ(request->chunks.at(1).length, 500u);
}

TEST_F(Smb2FileWork, GivesACopyUpWhenTheLimitsAllowNone) {
  for (const auto& limits : {counts(0, 1000, 1000), counts(256, 0, 1000), counts(256, 1000, 0),
                             counts(256, 1u << 20, 16u << 20)}) {
    answer_with(ioctl::number, {a_key(), with_output(status::invalid_parameter, limits)});
    const auto done = with_file<copied>(copy_3000);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().text, "IOCTL SRV_COPYCHUNK_WRITE x: STATUS_INVALID_PARAMETER");
  }
  answer_with(ioctl::number, {a_key(), refused(status::invalid_parameter)});
  EXPECT_FALSE(with_file<copied>(copy_3000)) << "an ERROR response, without limits";
}

TEST_F(Smb2FileWork, DoesNotBelieveThatMoreWasCopiedThanAsked) {
  for (const u32 total : {0u, 3001u}) {
    answer_with(ioctl::number, {a_key(), with_output(status::success, counts(1, 0, total))});
    const auto done = with_file<copied>(copy_3000);
    ASSERT_FALSE(done) << total;
    EXPECT_EQ(done.error().code, errc::bad_response);
  }
}

awaitable<std::expected<std::vector<std::byte>, error>> ask_pipe(file on) {
  std::vector<std::byte> question(4);
  return transceive(on, std::move(question), 8);
}

answer with_data(u32 code, std::size_t size) {
  return [code, size](fake::server& s, const fake::request& r) {
    const std::vector<std::byte> data(size, std::byte{7});
    read::response m;
    m.data = part(data);
    return s.make(r, code, m);
  };
}

TEST_F(Smb2FileWork, ReadsWhatDidNotFitInATransceive) {
  server.before = [this](const fake::request& r, fake::response& out) {
    if (r.head.command == ioctl::number) {
      const std::vector<std::byte> first(8, std::byte{7});
      out.messages.push_back(with_output(status::buffer_overflow, first)(server, r));
    } else if (r.head.command == read::number) {
      const bool more = server.count(read::number) < 3;
      const auto code = more ? status::buffer_overflow : status::success;
      out.messages.push_back(with_data(code, more ? 8 : 3)(server, r));
    } else {
      return;
    }
    out.handled = true;
  };

  const auto got = with_file<std::vector<std::byte>>(ask_pipe);

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(*got, std::vector<std::byte>(8 + 8 + 8 + 3, std::byte{7}));
}

awaitable<std::expected<std::vector<std::byte>, error>> listen_to_pipe(file on) {
  return read_pipe(on, 8);
}

TEST_F(Smb2FileWork, EndsAPipeMessageThatDoesNotComeOn) {
  answer_with(read::number, {with_data(status::buffer_overflow, 0)});

  const auto got = with_file<std::vector<std::byte>>(listen_to_pipe);

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::too_long);
}

awaitable<std::expected<u64, error>> list_names(file on) {
  directory_query query;
  query.buffer_bytes = directory_buffer_bytes_min;
  return walk_directory<file_names_information>(on, query, [](const file_names_information&) {});
}

answer with_name(std::string name) {
  return [name = std::move(name)](fake::server& s, const fake::request& r) {
    const auto wide = to_utf16(name);
    file_names_information entry;
    entry.file_name = wide->view();
    const auto buffer = encode_buffer(entry);
    query_directory::response m;
    m.buffer = buffer;
    return s.make(r, status::success, m);
  };
}

TEST_F(Smb2FileWork, DoublesTheBufferUntilAnEntryFits) {
  answer_with(query_directory::number, {refused(status::info_length_mismatch), with_name("a"),
                                        with_name("b"), refused(status::no_more_files)});

  const auto calls = with_file<u64>(list_names);

  ASSERT_TRUE(calls) << calls.error().text;
  EXPECT_EQ(*calls, 4u);
}

TEST_F(Smb2FileWork, EndsAListingThatDoesNotComeOn) {
  answer_with(query_directory::number, {with_name("a")});

  const auto calls = with_file<u64>(list_names);

  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().text, "QUERY_DIRECTORY x: the server gives the same entries again");
}

awaitable<std::expected<directory_changes, error>> watch(file on) {
  return wait_for_changes(on, {});
}

answer with_changes(u32 code, std::vector<std::byte> buffer) {
  return [code, buffer = std::move(buffer)](fake::server& s, const fake::request& r) {
    change_notify::response m;
    m.buffer = buffer;
    return s.make(r, code, m);
  };
}

TEST_F(Smb2FileWork, SaysWhenChangesWereTooMany) {
  answer_with(change_notify::number, {with_changes(status::notify_enum_dir, {})});
  auto got = with_file<directory_changes>(watch);
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->rescan);

  answer_with(change_notify::number, {with_changes(status::notify_cleanup, {})});
  got = with_file<directory_changes>(watch);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->closed);
}

TEST_F(Smb2FileWork, RefusesABrokenListOfChanges) {
  const auto broken = *wire::from_hex("ffffff00 01000000 02000000 6100");
  answer_with(change_notify::number, {with_changes(status::success, broken)});

  const auto got = with_file<directory_changes>(watch);

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, errc::bad_response);
}

awaitable<std::expected<std::vector<file_allocated_range_buffer>, error>> ask_ranges(file on) {
  return allocated_ranges(on, 0, 10'000);
}

TEST_F(Smb2FileWork, AsksOnForRangesThatDidNotFit) {
  const auto one = encode_array(std::vector<file_allocated_range_buffer>{{0, 1000}});
  const auto two = encode_array(std::vector<file_allocated_range_buffer>{{2000, 1000}});
  answer_with(ioctl::number,
              {with_output(status::buffer_overflow, one), with_output(status::success, two)});

  const auto got = with_file<std::vector<file_allocated_range_buffer>>(ask_ranges);

  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->size(), 2u);
  const auto asked =
      decode_buffer<file_allocated_range_buffer>(server.seen.back().body<ioctl>().input);
  EXPECT_EQ(asked->file_offset, 1000u);
  EXPECT_EQ(asked->length, 9000u);
}

TEST_F(Smb2FileWork, EndsRangesThatDoNotComeOn) {
  const auto same = encode_array(std::vector<file_allocated_range_buffer>{{0, 0}});
  answer_with(ioctl::number, {with_output(status::buffer_overflow, same)});

  const auto got = with_file<std::vector<file_allocated_range_buffer>>(ask_ranges);

  ASSERT_TRUE(got);
  EXPECT_EQ(got->size(), 1u);
}

TEST(LockSequences, GoThroughTheBucketsAndCountInEach) {
  lock_sequences sequences;
  std::set<u32> seen;
  for (u32 i = 0; i < lock_sequences::indexes * 16; ++i) {
    const auto value = sequences.next();
    EXPECT_GE(value >> 4, 1u);
    EXPECT_LE(value >> 4, lock_sequences::indexes);
    EXPECT_TRUE(seen.insert(value).second) << value;
  }
  EXPECT_EQ(sequences.next(), 0x10u) << "the first again, after sixteen LOCKs in its bucket";
}

} // namespace
} // namespace smb2
