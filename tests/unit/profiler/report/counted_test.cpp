#include "profiler/flow/coverage.hpp"
#include "profiler/net/counters.hpp"
#include "profiler/report/counted.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::report::counted;

TEST(Counted, AgreesWithTheNumber) {
  EXPECT_EQ(counted(0, "packets"), "0 packets");
  EXPECT_EQ(counted(1, "packets"), "1 packet");
  EXPECT_EQ(counted(1456, "frames that are not IP"), "1,456 frames that are not IP");
  EXPECT_EQ(counted(1, "frames that are not IP"), "1 frame that is not IP");
  EXPECT_EQ(counted(1, "replies whose call was not captured"),
            "1 reply whose call was not captured");
  EXPECT_EQ(counted(1, "packets captured shorter than they were"),
            "1 packet captured shorter than it was");
  EXPECT_EQ(counted(1, "messages that are not what their protocol says"),
            "1 message that is not what its protocol says");
  EXPECT_EQ(counted(1, "requests that wait by design"), "1 request that waits by design");
}

TEST(Counted, LeavesTheVerbOfAnotherNounAlone) {
  EXPECT_EQ(counted(1, "calls of RPC programs that are not analysed"),
            "1 call of RPC programs that are not analysed");
  EXPECT_EQ(counted(1, "calls given up because too many were outstanding"),
            "1 call given up because too many were outstanding");
}

/// One of each kind never reads like several.
void expect_singular(std::string_view plural) {
  if (plural.empty()) return;
  const auto text = counted(1, plural);
  EXPECT_NE(text, "1 " + std::string(plural));
  EXPECT_EQ(text.find("s that are"), plural.find("programs that are") == plural.npos
                                         ? text.npos
                                         : text.find("programs that are") + 7);
}

TEST(Counted, KnowsTheNounOfEveryRemark) {
  for (const auto& c : profiler::flow::coverage_counters)
    if (c.part_of == nullptr) expect_singular(c.remark);
  for (const auto& n : profiler::net::network_counters)
    expect_singular(n.not_analysed);
}

} // namespace
