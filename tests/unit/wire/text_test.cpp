#include "wire/text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

TEST(Text, WritesTimesWithThreeDigitsAndTheirUnit) {
  EXPECT_EQ(wire::text_of(412ns), "412 ns");
  EXPECT_EQ(wire::text_of(36'240ns), "36.2 µs");
  EXPECT_EQ(wire::text_of(534'000ns), "534 µs");
  EXPECT_EQ(wire::text_of(1'534'000ns), "1.53 ms");
  EXPECT_EQ(wire::text_of(37s), "37.0 s");
  EXPECT_EQ(wire::text_of(-2ms), "-2.00 ms");
}

TEST(Text, WritesSizesAsUsersWriteThem) {
  EXPECT_EQ(wire::text_of_bytes(10'240), "10 KiB");
  EXPECT_EQ(wire::text_of_bytes(1'448), "1448 B");
  EXPECT_EQ(wire::text_of_bytes(524'288'000), "500 MiB");
  EXPECT_EQ(wire::text_of_bytes(0), "0 B");
  EXPECT_EQ(wire::text_of_count(6'998), "6,998");
  EXPECT_EQ(wire::text_of_count(998), "998");
  EXPECT_EQ(wire::text_of_count(1'234'567), "1,234,567");
}

TEST(Text, ReadsSizesAndTimes) {
  EXPECT_EQ(wire::parse_size("10k"), 10'240u);
  EXPECT_EQ(wire::parse_size("1.5m"), 1'572'864u);
  EXPECT_EQ(wire::parse_size("512"), 512u);
  EXPECT_EQ(wire::parse_time("0.5ms"), 500us);
  EXPECT_EQ(wire::parse_time("2s"), 2s);
}

TEST(Text, SaysWhatItExpectedInstead) {
  EXPECT_EQ(wire::parse_size("10x").error(), "'10x' is not a size such as 512, 10k, 1m or 4g");
  EXPECT_EQ(wire::parse_time("5").error(), "'5' is not a time such as 500us, 0.5ms or 2s");
  EXPECT_FALSE(wire::parse_size("-1"));
  EXPECT_FALSE(wire::parse_size(""));
  EXPECT_FALSE(wire::parse_size("nan"));
  EXPECT_FALSE(wire::parse_size("0.3"));
}

} // namespace
