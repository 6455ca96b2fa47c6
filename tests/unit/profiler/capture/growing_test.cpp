#include "reading.hpp"

#include <atomic>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace reading;
using profiler::capture::capture_reader;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

byte_vector capture() {
  support::pcap_builder b;
  for (std::size_t i = 1; i <= 40; ++i)
    b.add(when, support::pattern(i));
  return b.file();
}

void append(const std::string& path, bytes data) {
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(wire::as_text(data).data(), static_cast<std::streamsize>(data.size()));
}

/// A named pipe that goes away with the object.
class fifo {
 public:
  fifo() : path_(::testing::TempDir() + "wiretrip-fifo-" + std::to_string(::getpid())) {
    ::unlink(path_.c_str());
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }
  fifo(const fifo&) = delete;
  fifo& operator=(const fifo&) = delete;
  ~fifo() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr auto a_while = std::chrono::milliseconds(250);

TEST(GrowingCapture, WaitsForWhatIsStillWritten) {
  const auto whole = capture();
  // In the middle of the file header, of a record header, and of a frame.
  const support::temporary_file file(bytes(whole).first(10));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::size_t done = 10;
    for (const std::size_t upto : {std::size_t{30}, std::size_t{200}, whole.size()}) {
      std::this_thread::sleep_for(a_while);
      append(file.path(), bytes(whole).subspan(done, upto - done));
      done = upto;
    }
    std::this_thread::sleep_for(a_while);
    stop = true;
  });

  auto reader = capture_reader::open_growing(file.path(), stop);
  ASSERT_TRUE(reader) << reader.error();
  const auto got = read_all(*reader);
  writer.join();

  EXPECT_THAT(got.frames, SizeIs(40));
  EXPECT_THAT(got.summary.warnings, IsEmpty());
}

TEST(GrowingCapture, ARecordThatIsNotYetWholeIsNoDamage) {
  const auto whole = capture();
  for (const std::size_t missing : {1u, 20u, 50u}) {
    const support::temporary_file file(bytes(whole).first(whole.size() - missing));
    std::atomic<bool> stop = false;
    std::thread ender([&] {
      std::this_thread::sleep_for(a_while);
      stop = true;
    });

    auto reader = capture_reader::open_growing(file.path(), stop);
    ASSERT_TRUE(reader);
    const auto got = read_all(*reader);
    ender.join();

    EXPECT_THAT(got.frames, SizeIs(39));
    EXPECT_THAT(got.summary.warnings, IsEmpty());
  }
}

TEST(GrowingCapture, SaysWhenTheFileBecomesShorter) {
  const support::temporary_file file(capture());
  const std::atomic<bool> stop = false;
  auto reader = capture_reader::open_growing(file.path(), stop);
  ASSERT_TRUE(reader);
  ASSERT_EQ(::truncate(file.path().c_str(), 24), 0);

  const auto got = read_all(*reader);

  EXPECT_THAT(got.summary.warnings, testing::ElementsAre(HasSubstr("made shorter")));
}

/// Writes the capture to the pipe with pauses that end in the middle of records.
std::thread stalling_writer(const fifo& pipe, const byte_vector& whole) {
  return std::thread([&] {
    const int descriptor = ::open(pipe.path().c_str(), O_WRONLY);
    for (std::size_t done = 0; done < whole.size(); done += 500) {
      const auto piece =
          bytes(whole).subspan(done, std::min<std::size_t>(500, whole.size() - done));
      EXPECT_EQ(::write(descriptor, piece.data(), piece.size()),
                static_cast<ssize_t>(piece.size()));
      std::this_thread::sleep_for(a_while);
    }
    ::close(descriptor);
  });
}

TEST(GrowingCapture, APipeMayStallAndEndsWithItsWriter) {
  const auto whole = capture();
  const std::atomic<bool> stop = false;
  for (const bool follow : {false, true}) {
    const fifo pipe;
    auto writer = stalling_writer(pipe, whole);

    auto reader = follow ? capture_reader::open_growing(pipe.path(), stop)
                         : capture_reader::open(pipe.path());
    EXPECT_TRUE(reader);
    const auto got = reader ? read_all(*reader) : result{};
    writer.join();

    EXPECT_THAT(got.frames, SizeIs(40)) << follow;
    EXPECT_THAT(got.summary.warnings, IsEmpty());
  }
}

TEST(GrowingCapture, APipeThatStallsCanBeLeft) {
  const fifo pipe;
  const auto whole = capture();
  std::atomic<bool> stop = false;
  std::atomic<bool> read = false;
  std::thread writer([&] {
    const int descriptor = ::open(pipe.path().c_str(), O_WRONLY);
    EXPECT_EQ(::write(descriptor, whole.data(), 100), 100);
    std::this_thread::sleep_for(a_while);
    stop = true;
    while (!read)
      std::this_thread::sleep_for(a_while);
    ::close(descriptor);
  });

  auto reader = capture_reader::open_growing(pipe.path(), stop);
  EXPECT_TRUE(reader);
  if (reader) {
    const auto got = read_all(*reader);
    EXPECT_THAT(got.frames, SizeIs(4));
    EXPECT_THAT(got.summary.warnings, IsEmpty());
  }
  read = true;
  writer.join();
}

TEST(GrowingCapture, PackedOnesAreRefused) {
  for (const std::string_view start : {"1f8b0800", "425a6839", "28b52ffd"}) {
    const support::temporary_file file(wire::from_hex(start).value());
    const std::atomic<bool> stop = false;

    const auto refused = capture_reader::open_growing(file.path(), stop);

    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("cannot be followed"));
  }
}

} // namespace
