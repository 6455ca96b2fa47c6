#include "profiler/capture/capture_reader.hpp"
#include "profiler/capture/window.hpp"
#include "tests/support/pcap_builder.hpp"

#include <gtest/gtest.h>
#include <random>

/// Reading ahead must not show in what is read.
namespace {

using profiler::capture::byte_source;
using profiler::capture::memory_source;
using profiler::capture::read_ahead;
using profiler::capture::window;
using support::byte_vector;
using support::pattern;

/// Gives bytes in pieces of random size, and in the end its trouble.
class piecemeal final : public byte_source {
 public:
  piecemeal(byte_vector data, unsigned seed, std::string trouble)
      : data_(std::move(data)), random_(seed), end_(std::move(trouble)) {}

  std::size_t read(std::span<std::byte> out) override {
    const auto left = data_.size() - at_;
    if (left == 0) trouble_ = end_;
    const auto n = std::min({out.size(), left, std::size_t{1} + random_() % 100'000});
    std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(at_), n, out.begin());
    at_ += n;
    return n;
  }

 private:
  byte_vector data_;
  std::size_t at_ = 0;
  std::mt19937 random_;
  std::string end_;
};

class Ahead : public testing::TestWithParam<unsigned> {};

TEST_P(Ahead, ShowsTheSameBytesWhateverIsAskedFor) {
  const auto data = pattern(5'000'000 + GetParam() * 1000, GetParam());
  window in(std::make_unique<piecemeal>(data, GetParam(), "the disk is gone"));
  ASSERT_TRUE(in.ensure(1));
  in.start_reading_ahead();
  std::mt19937 random(GetParam() + 100);
  std::size_t at = 0;
  while (at < data.size()) {
    const auto left = data.size() - at;
    // Mostly frames, now and then more than the headroom, more than a block, and passing over.
    const std::size_t most = random() % 20 == 0 ? 700'000 : random() % 5 == 0 ? 90'000 : 3000;
    const auto n = std::min<std::size_t>(1 + random() % most, left);
    if (random() % 10 == 0) {
      ASSERT_TRUE(in.skip(n));
    } else {
      ASSERT_TRUE(in.ensure(n));
      ASSERT_TRUE(
          std::equal(in.data(), in.data() + n, data.begin() + static_cast<std::ptrdiff_t>(at)))
          << at << ' ' << n;
      in.consume(n);
    }
    at += n;
    ASSERT_EQ(in.offset(), at);
    if (at < data.size()) {
      ASSERT_EQ(in.trouble(), "");
    }
  }
  EXPECT_FALSE(in.ensure(1));
  EXPECT_EQ(in.trouble(), "the disk is gone");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Ahead, testing::Range(0u, 8u));

TEST(ReadAhead, KeepsTheLastBytesInViewAtTheEnd) {
  const auto data = pattern(read_ahead::block_bytes * 3 + 100);
  window in(memory_source(data));
  in.start_reading_ahead();
  ASSERT_TRUE(in.skip(data.size() - 50));
  EXPECT_FALSE(in.ensure(51));
  ASSERT_EQ(in.available(), 50u);
  EXPECT_TRUE(std::equal(in.data(), in.data() + 50, data.end() - 50));
}

TEST(ReadAhead, EndsWhenNobodyLooksAnyMore) {
  const auto data = pattern(read_ahead::block_bytes * 20);
  window in(memory_source(data));
  in.start_reading_ahead();
  EXPECT_TRUE(in.ensure(1));
}

TEST(ReadAhead, ReadsAFileAsMemoryIsRead) {
  support::pcap_builder file({.nanoseconds = true});
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i)
    file.add(support::nanos{1000L * i}, pattern(60 + random() % 9000, random()));
  const support::temporary_file on_disk(file.file());
  auto from_file = profiler::capture::capture_reader::open(on_disk.path());
  auto from_memory = profiler::capture::capture_reader::over(file.file(), "memory");
  ASSERT_TRUE(from_file && from_memory);
  profiler::packet a;
  profiler::packet b;
  while (from_memory->next(b)) {
    ASSERT_TRUE(from_file->next(a));
    ASSERT_TRUE(std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end()));
    ASSERT_EQ(a.at.time, b.at.time);
  }
  EXPECT_FALSE(from_file->next(a));
}

} // namespace
