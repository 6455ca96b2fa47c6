#include "wire/framer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using wire::bytes;
using wire::frame_prefix;
using wire::nanos;
using wire::stamp;
using wire::u32;
using wire::u64;

/// Record marking of RFC 5531 section 11, written out for the test: the high bit ends a record.
struct record_marks {
  static constexpr u64 frame_bytes_max = 1 << 20;
  static frame_prefix parse(u32 prefix) {
    return {.length = prefix & 0x7fffffff, .last = prefix >> 31 != 0, .valid = true};
  }
};

using framer = wire::framer<record_marks>;

struct got {
  std::string data;
  u64 length;
  u64 missing;
  nanos first;
  nanos last;
  friend bool operator==(const got&, const got&) = default;
};

got copy_of(const wire::frame& f) {
  return {std::string(wire::as_text(f.data)), f.length, f.missing_bytes, f.first.time, f.last.time};
}

void drain(framer& f, std::vector<got>& out) {
  while (auto frame = f.next())
    out.push_back(copy_of(*frame));
}

std::string piece(std::string_view payload, bool last) {
  std::string out(4, '\0');
  wire::store_be(reinterpret_cast<std::byte*>(out.data()),
                 static_cast<u32>(payload.size()) | (last ? 0x80000000u : 0u));
  return out + std::string(payload);
}

TEST(Framer, GivesAFrameThatLiesInOneChunkWithoutCopyingIt) {
  framer f(1024);
  const std::string stream = piece("abc", true);
  f.feed(wire::as_bytes(stream), {5ns, 1});

  const auto frame = f.next();

  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->data.data(), wire::as_bytes(stream).data() + 4);
  EXPECT_EQ(wire::as_text(frame->data), "abc");
  EXPECT_EQ(frame->first.packet, 1u);
  EXPECT_FALSE(f.next());
}

TEST(Framer, JoinsThePiecesOfARecord) {
  framer f(1024);
  std::vector<got> out;
  const std::string stream =
      piece("ab", false) + piece("", false) + piece("cd", false) + piece("e", true);
  f.feed(wire::as_bytes(stream), {1ns, 1});

  drain(f, out);

  EXPECT_EQ(out, (std::vector<got>{{"abcde", 5, 0, 1ns, 1ns}}));
}

TEST(Framer, GivesTheSameFramesWhateverTheSegmentation) {
  std::mt19937 random(1);
  std::string stream;
  std::vector<std::string> want;
  for (int i = 0; i < 200; ++i) {
    std::string record;
    const auto pieces = 1 + random() % 3;
    for (unsigned p = 0; p < pieces; ++p) {
      const std::string payload(random() % 50, static_cast<char>('a' + random() % 26));
      stream += piece(payload, p + 1 == pieces);
      record += payload;
    }
    want.push_back(record);
  }
  for (int round = 0; round < 50; ++round) {
    framer f(1024);
    std::vector<got> out;
    for (std::size_t at = 0; at < stream.size();) {
      const auto n = std::min<std::size_t>(1 + random() % (round + 1), stream.size() - at);
      const std::string chunk = stream.substr(at, n);
      f.feed(wire::as_bytes(chunk), {1ns, 1});
      drain(f, out);
      at += n;
    }
    ASSERT_EQ(out.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(out[i].data, want[i]);
  }
}

TEST(Framer, TimesAFrameFromItsEarliestToItsLatestByte) {
  framer f(1024);
  std::vector<got> out;
  const std::string stream = piece("abcdef", true);
  f.feed(wire::as_bytes(stream).first(2), {10ns, 1});
  drain(f, out);
  f.feed(wire::as_bytes(stream).subspan(2, 5), {30ns, 3}); // a hole was filled late
  drain(f, out);
  f.feed(wire::as_bytes(stream).subspan(7), {20ns, 2});
  drain(f, out);

  EXPECT_EQ(out, (std::vector<got>{{"abcdef", 6, 0, 10ns, 30ns}}));
}

TEST(Framer, KeepsOnlyTheStartOfALongFrame) {
  framer f(8);
  std::vector<got> out;
  const std::string stream = piece(std::string(1000, 'x'), true) + piece("next", true);
  for (std::size_t at = 0; at < stream.size(); at += 100) {
    const std::string chunk = stream.substr(at, 100);
    f.feed(wire::as_bytes(chunk), {1ns, 1});
    drain(f, out);
  }

  EXPECT_EQ(out, (std::vector<got>{{"xxxxxxxx", 1000, 0, 1ns, 1ns}, {"next", 4, 0, 1ns, 1ns}}));
  EXPECT_LT(f.kept_bytes(), 64u);
}

TEST(Framer, KeepsOfALongFrameWhatItsStartIsSaidToBeWorth) {
  for (const std::size_t step : {1u, 63u, 64u, 65u, 100u, 700u}) {
    framer f(500);
    std::vector<std::size_t> kept;
    int asked = 0;
    const auto stream = piece(std::string(1000, 'd'), true) + piece(std::string(1000, 'n'), true) +
                        piece(std::string(400, 'n'), false) + piece(std::string(400, 'n'), true) +
                        piece(std::string(20, 's'), true);
    for (std::size_t at = 0; at < stream.size(); at += step) {
      const std::string chunk = stream.substr(at, step);
      f.feed(wire::as_bytes(chunk), {1ns, 1});
      const auto worth = [&](bytes start) -> std::size_t {
        ++asked;
        EXPECT_EQ(start.size(), framer::keep_asks_bytes);
        return start[0] == std::byte{'d'} ? 70 : 10000;
      };
      while (const auto frame = f.next([](bytes) { return false; }, worth))
        kept.push_back(frame->data.size());
    }
    EXPECT_EQ(kept, (std::vector<std::size_t>{70, 500, 500, 20})) << step;
    EXPECT_EQ(asked, 3) << step;
  }
}

TEST(Framer, SkipsAGapInsideAFrameByItsLength) {
  framer f(1024);
  std::vector<got> out;
  const std::string stream = piece("abcdefgh", true) + piece("next", true);
  f.feed(wire::as_bytes(stream).first(6), {1ns, 1});
  drain(f, out);
  f.gap(3, {2ns, 2});
  drain(f, out);
  f.feed(wire::as_bytes(stream).subspan(9), {3ns, 3});
  drain(f, out);

  EXPECT_EQ(out, (std::vector<got>{{"ab", 8, 3, 1ns, 3ns}, {"next", 4, 0, 3ns, 3ns}}));
  EXPECT_TRUE(f.in_step());
}

TEST(Framer, LosesStepOverAPrefixAndFindsItAgainWhereAskedTo) {
  framer f(1024);
  std::vector<got> out;
  const std::string stream = piece("abcd", true) + piece("lost", true) + piece("MARK", true);
  f.feed(wire::as_bytes(stream).first(6), {1ns, 1});
  drain(f, out);
  f.gap(4, {2ns, 2}); // two bytes of payload and two of the next prefix
  drain(f, out);
  f.feed(wire::as_bytes(stream).subspan(10), {3ns, 3});
  const auto is_mark = [](bytes candidate) {
    return candidate.size() >= 8 && wire::as_text(candidate.subspan(4, 4)) == "MARK";
  };
  while (auto frame = f.next(is_mark))
    out.push_back(copy_of(*frame));

  EXPECT_EQ(out, (std::vector<got>{{"ab", 4, 2, 1ns, 2ns}, {"MARK", 4, 0, 3ns, 3ns}}));
  EXPECT_EQ(f.lost_steps(), 1u);
  EXPECT_EQ(f.dropped_bytes(), 2u + 6u) << "two bytes of the gap, six up to the mark";
}

TEST(Framer, CountsWhatTheSnapLengthCut) {
  framer f(1024);
  std::vector<got> out;
  const std::string stream = piece("abcdefgh", true);
  f.feed(wire::as_bytes(stream).first(7), stream.size(), {1ns, 1});
  drain(f, out);

  EXPECT_EQ(out, (std::vector<got>{{"abc", 8, 5, 1ns, 1ns}}));
}

TEST(Framer, RefusesAFrameAboveTheLimit) {
  framer f(1024);
  std::string stream(8, '\0');
  wire::store_be(reinterpret_cast<std::byte*>(stream.data()), 0x80000000u | (2u << 20));
  f.feed(wire::as_bytes(stream), {1ns, 1});

  EXPECT_FALSE(f.next());
  EXPECT_FALSE(f.in_step());
}

TEST(Framer, RefusesPiecesThatAddUpAboveTheLimit) {
  framer f(16);
  const std::string half(600'000, 'x');
  for (int i = 0; i < 2; ++i) {
    const std::string stream = piece(half, false);
    f.feed(wire::as_bytes(stream), {1ns, 1});
    EXPECT_FALSE(f.next());
  }

  EXPECT_FALSE(f.in_step());
}

TEST(Framer, FindsAFrameWhoseStartIsCutIntoChunksAnywhere) {
  const auto starts = [](bytes b) {
    return b.size() >= 8 && wire::as_text(b.subspan(4, 4)) == "MARK";
  };
  const auto noise = std::string(50, 'x');
  const auto stream =
      noise + piece("MARK of a frame that is longer than what is kept", true) + piece("next", true);
  for (std::size_t first = 1; first < stream.size(); ++first) {
    for (std::size_t second = 1; second < 12; ++second) {
      framer f(1024);
      f.join();
      std::vector<got> out;
      std::vector<nanos> times;
      const auto give = [&](std::size_t from, std::size_t to, nanos at) {
        f.feed(wire::as_bytes(stream).subspan(from, to - from), {at, static_cast<u32>(at.count())});
        while (auto frame = f.next(starts))
          out.push_back(copy_of(*frame));
      };
      const auto middle = std::min(first + second, stream.size());
      give(0, first, 1ns);
      give(first, middle, 2ns);
      give(middle, stream.size(), 3ns);

      ASSERT_EQ(out.size(), 2u) << first << ' ' << second;
      EXPECT_EQ(out[0].data, "MARK of a frame that is longer than what is kept");
      EXPECT_EQ(out[0].first, noise.size() < first ? 1ns : noise.size() < middle ? 2ns : 3ns);
      EXPECT_EQ(out[1].data, "next");
      EXPECT_EQ(f.dropped_bytes(), noise.size());
      EXPECT_EQ(f.lost_steps(), 1u);
    }
  }
}

TEST(Framer, JoinsNoBytesOverAGap) {
  const auto starts = [](bytes b) {
    return b.size() >= 8 && wire::as_text(b.subspan(4, 4)) == "MARK";
  };
  const auto stream = piece("MARK", true);
  framer f(1024);
  f.join();
  f.feed(wire::as_bytes(stream).first(6), {1ns, 1});
  EXPECT_FALSE(f.next(starts));
  f.gap(10, {2ns, 2});
  EXPECT_FALSE(f.next(starts));
  f.feed(wire::as_bytes(stream).subspan(6), {3ns, 3});
  EXPECT_FALSE(f.next(starts));
  EXPECT_EQ(f.dropped_bytes(), 18u);
}

} // namespace
