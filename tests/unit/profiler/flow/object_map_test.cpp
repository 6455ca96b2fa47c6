#include "profiler/flow/object_map.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::flow::name_key;
using profiler::flow::object_map;

constexpr wire::u64 name_a = 101, name_b = 102;

TEST(ObjectMap, TakesAHandleItHasNeverSeenForItsFile) {
  object_map m;

  EXPECT_EQ(m.by_handle(7), 7u);
}

TEST(ObjectMap, GivesTheFileThatAnswersAMissedNameTheNumberOfThatName) {
  object_map m;
  const auto missed = m.by_name(name_a);

  EXPECT_EQ(m.bind_handle(name_a, 7), missed);
  EXPECT_EQ(m.by_handle(7), missed);
  EXPECT_EQ(m.by_name(name_a), missed);
}

TEST(ObjectMap, KeepsFilesApartThatHaveOneNameOneAfterTheOther) {
  object_map m;
  const auto first = m.bind_handle(name_a, 7);
  m.forget(name_a);
  const auto second = m.by_name(name_a);
  m.forget(name_a);
  const auto third = m.by_name(name_a);

  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
}

TEST(ObjectMap, BelievesAServerThatSaysThatTheNameIsFree) {
  object_map m;
  const auto before = m.bind_handle(name_a, 7);

  EXPECT_NE(m.missing(name_a), before);
}

TEST(ObjectMap, TakesTwoOpensOfANameForOneFile) {
  object_map m;
  const auto first = m.bind_open(name_a, 7, true);
  const auto second = m.bind_open(name_a, 8, false);

  EXPECT_EQ(first, second);
  EXPECT_EQ(m.by_handle(8), first);
}

TEST(ObjectMap, TakesAFileThatIsCreatedWhereOneWasForAnother) {
  object_map m;
  const auto first = m.bind_open(name_a, 7, true);

  EXPECT_NE(m.bind_open(name_a, 8, true), first);
}

TEST(ObjectMap, FollowsARename) {
  object_map m;
  const auto file = m.bind_handle(name_a, 7);
  m.rename(name_a, name_b);

  EXPECT_EQ(m.by_name(name_b), file);
  EXPECT_NE(m.by_name(name_a), file);
}

TEST(ObjectMap, RemembersDirectories) {
  object_map m;
  m.mark_directory(5);
  m.mark_directory(0);

  EXPECT_TRUE(m.is_directory(5));
  EXPECT_FALSE(m.is_directory(0));
  EXPECT_FALSE(m.is_directory(6));
}

TEST(NameKey, DependsOnTheDirectoryTheLengthAndEachByte) {
  const auto key = name_key(1, wire::as_bytes("file-0001.bin"));

  EXPECT_NE(key, name_key(2, wire::as_bytes("file-0001.bin")));
  EXPECT_NE(key, name_key(1, wire::as_bytes("file-0002.bin")));
  EXPECT_NE(key, name_key(1, wire::as_bytes("file-0001.bi")));
  EXPECT_EQ(key, name_key(1, wire::as_bytes("file-0001.bin")));
}

} // namespace
